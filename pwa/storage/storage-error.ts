// Explains to the person what follows if something could not be stored.
import { HandrailError } from "../../shared/errors.ts";

export function storageErrorInWords(error: unknown): string {
  return isFull(error)
    ? "This device's storage is full. What was kept before stays; what happens now is shown, but not kept. Export or delete sessions to make room."
    : "This device's storage does not answer. What happens now is shown, but not kept.";
}

const unkept = "unkept";

/** The error for a message that could not be stored; it says that the message was not sent. */
export function unsentError(cause: unknown): HandrailError {
  const why = isFull(cause) ? "is full" : "does not answer";
  const message = `this device's storage ${why}, so your message would not be kept here. Make room, or send it anyway: it runs, but what comes back is only shown, and may be missing here once Handrail is closed.`;
  return new HandrailError("internal", message, { retryable: false, details: { reason: unkept } });
}

/** Returns whether the error means that a message was not sent because it could not be stored. */
export function isUnkept(error: HandrailError): boolean {
  return error.details?.reason === unkept;
}

/** The same for a session that could not be created. */
export function unmadeSessionInWords(error: unknown): string {
  return isFull(error)
    ? "This device's storage is full, so the session was not made. Export or delete sessions to make room."
    : "This device's storage does not answer, so the session was not made.";
}

/** The same for a choice of the person: theme, keys, limits, names. */
export function unkeptChoiceInWords(error: unknown): string {
  return isFull(error)
    ? "This device's storage is full. What you set now is lost when Handrail is closed, unless you export or delete sessions to make room."
    : "This device's storage does not answer. What you set now is lost when Handrail is closed.";
}

function isFull(error: unknown): boolean {
  return error instanceof DOMException && error.name === "QuotaExceededError";
}
