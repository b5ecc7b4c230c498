// The error for anything that could not be journaled.
import { HandrailError } from "../../shared/errors.ts";
import { diskError } from "../paths/disk-error.ts";

export function unwritten(cause: unknown): HandrailError {
  const message =
    "Nothing was begun: the sandbox server's journal could not be written. Look at its state folder.";
  if (cause instanceof HandrailError) return cause;
  return diskError(cause, "state") ?? new HandrailError("internal", message, { retryable: true, cause });
}
