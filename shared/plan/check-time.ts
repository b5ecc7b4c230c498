// The time limit of a check, in a plan's data and in its text.

/** A whole test suite usually ends within this time; a check that takes longer must have its own limit in the plan. */
export const checkTimeoutMs = 300_000;
/** The longest time that the sandbox allows a command. */
export const maxCheckMs = 600_000;
/** The factor by which the limit of a check that timed out is raised for its next run. */
export const moreTime = 3;

/**
 * Matches the head of `- check (90 s): npm test` including the colon; group 1 is the time in seconds, if there is one.
 */
export const checkHead = /^check(?:\s*\(\s*(\d{1,6})\s*s\s*\))?\s*:/i;

/** The time limit that applies to a check. */
export function checkLimitMs({ timeoutMs }: { timeoutMs?: number | undefined }): number {
  return timeoutMs ?? checkTimeoutMs;
}

/** The limit in whole seconds, as the text has it; absent if it is the default or not a valid time. */
export function normalTimeout(timeoutMs: number | undefined): { timeoutMs?: number } {
  if (timeoutMs === undefined || !(timeoutMs > 0)) return {};
  const whole = Math.min(Math.max(1, Math.ceil(timeoutMs / 1000)) * 1000, maxCheckMs);
  return whole === checkTimeoutMs ? {} : { timeoutMs: whole };
}

/** The part between `check` and its colon in a plan's text. */
export function timeMark({ timeoutMs }: { timeoutMs?: number | undefined }): string {
  return timeoutMs === undefined ? "" : ` (${timeoutMs / 1000} s)`;
}

/** Parses that part; `seconds` is group 1 of `checkHead`. */
export function markedTimeout(seconds: string | undefined): { timeoutMs?: number } {
  return seconds === undefined ? {} : normalTimeout(Number(seconds) * 1000);
}
