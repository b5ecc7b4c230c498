// How long a check of a plan may run, in a plan's parts and in its text.

/** A whole test suite runs in that; what takes longer says so in the plan. */
export const checkTimeoutMs = 300_000;
/** What the sandbox allows a command. */
export const maxCheckMs = 600_000;
/** A check that ran out of its time is offered so many times as much. */
export const moreTime = 3;

/** `- check (90 s): npm test`: matches `check` with its colon; group 1 is the time in seconds, if one is named. */
export const checkHead = /^check(?:\s*\(\s*(\d{1,6})\s*s\s*\))?\s*:/i;

/** The time limit of a check as the engine and the text have it. */
export function checkLimitMs({ timeoutMs }: { timeoutMs?: number | undefined }): number {
  return timeoutMs ?? checkTimeoutMs;
}

/** In whole seconds, as the text says it; absent if it is the usual one, or nothing that a time can be. */
export function normalTimeout(timeoutMs: number | undefined): { timeoutMs?: number } {
  if (timeoutMs === undefined || !(timeoutMs > 0)) return {};
  const whole = Math.min(Math.max(1, Math.ceil(timeoutMs / 1000)) * 1000, maxCheckMs);
  return whole === checkTimeoutMs ? {} : { timeoutMs: whole };
}

/** What comes between `check` and its colon in a plan's text. */
export function timeMark({ timeoutMs }: { timeoutMs?: number | undefined }): string {
  return timeoutMs === undefined ? "" : ` (${timeoutMs / 1000} s)`;
}

/** Reads that mark back; `seconds` is group 1 of `checkHead`. */
export function markedTimeout(seconds: string | undefined): { timeoutMs?: number } {
  return seconds === undefined ? {} : normalTimeout(Number(seconds) * 1000);
}
