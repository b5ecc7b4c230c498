// The error body of both HTTP contracts (PROTOCOL 1): codes, statuses and the one error class.
import * as z from "zod/mini";

/** HTTP status of each error code; 0 = occurs only inside results, never as an HTTP status. */
export const statusOf = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  readonly: 403,
  path_escape: 403,
  not_found: 404,
  stale_plan: 409,
  stale_epoch: 409,
  turn_finished: 409,
  history_differs: 409,
  not_kept: 410,
  stale_file: 412,
  too_large: 413,
  not_text: 415,
  key_reused: 422,
  rate_limited: 429,
  unsupported: 501,
  model_error: 502,
  push_refused: 502,
  sandbox_unreachable: 503,
  timeout: 504,
  disk_full: 507,
  internal: 500,
  outcome_unknown: 0,
  stopped: 0,
  not_run: 0,
} as const;

export type ErrorCode = keyof typeof statusOf;

const codes = Object.keys(statusOf) as [ErrorCode, ...ErrorCode[]];
export const ErrorCode = z.literal(codes);

/**
 * The content of a failure. `message` says what is wrong and what to do, and never contains a secret, a stack or a host
 * path.
 */
export const ErrorInfo = z.object({
  code: ErrorCode,
  message: z.string(),
  requestId: z.optional(z.string()),
  retryable: z.optional(z.boolean()),
  details: z.optional(z.looseObject({})),
});
export type ErrorInfo = z.infer<typeof ErrorInfo>;

export const ErrorBody = z.object({ error: ErrorInfo });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** The only error class that crosses our own boundaries; any other error caught there becomes `internal`. */
export class HandrailError extends Error {
  override readonly name = "HandrailError";
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Record<string, unknown> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { retryable?: boolean; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable =
      options.retryable ?? (code === "rate_limited" || code === "sandbox_unreachable" || code === "timeout");
    this.details = options.details;
  }

  /** The error in the form used by events, results and HTTP bodies. */
  toInfo(requestId?: string): ErrorInfo {
    return {
      code: this.code,
      message: this.message,
      ...(requestId === undefined ? {} : { requestId }),
      retryable: this.retryable,
      ...(this.details === undefined ? {} : { details: this.details }),
    };
  }
}

/** The error for a request that is refused because of one field. `problem` is a sentence without its full stop. */
export function invalidField(field: string, problem: string): HandrailError {
  return new HandrailError("invalid_request", `${field}: ${problem}.`, { details: { field } });
}

/** `error` itself if it is a HandrailError; otherwise `internal` with a message that reveals nothing. */
export function toHandrailError(error: unknown): HandrailError {
  if (error instanceof HandrailError) return error;
  return new HandrailError(
    "internal",
    "Something went wrong inside Handrail. Try again; if it happens again, look at the server's log.",
    {
      retryable: true,
      cause: error,
    },
  );
}

/**
 * What a log may say about a failure: its kind, where it happened, and its causes. The message is left out because
 * parsers and file systems quote their input in it.
 */
export function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = "code" in error && typeof error.code === "string" ? ` ${error.code}` : "";
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  const cause = error.cause === undefined ? "" : `\ncaused by ${traceOf(error.cause)}`;
  return `${error.name}${code}\n${frames.join("\n")}${cause}`;
}
