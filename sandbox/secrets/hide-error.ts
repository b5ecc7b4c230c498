// Hides secrets in an error before it is recorded, because a message may quote a file, a command or git.
import type { ErrorInfo } from "../../shared/errors.ts";
import { isObject } from "../../shared/is-record.ts";
import type { Redactor } from "../../shared/redact/redactor.ts";

export function hideInError(redactor: Redactor, error: ErrorInfo): ErrorInfo {
  const { message, details } = error;
  return {
    ...error,
    message: redactor.redact(message),
    ...(details ? { details: hiddenRecord(redactor, details) } : {}),
  };
}

function hiddenRecord(redactor: Redactor, record: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, hidden(redactor, value)]));
}

function hidden(redactor: Redactor, value: unknown): unknown {
  if (typeof value === "string") return redactor.redact(value);
  if (Array.isArray(value)) return value.map((item) => hidden(redactor, item));
  return isObject(value) ? hiddenRecord(redactor, value) : value;
}
