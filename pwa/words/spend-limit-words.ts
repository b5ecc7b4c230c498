// What the person can do after a spending limit ended a turn, in words. Pure.

interface EndedByLimit {
  /** What this device's limits leave; undefined if it has none, so that the server's own limit ended the turn. */
  left: number | undefined;
  /** The cost of the next request. */
  next: number;
  /** What was left when the turn ended. */
  leftThen: number;
}

/** `canContinue` is false if a retry would hit the same limit at once. All amounts are in US dollars. */
export function spendLimitWords({ left, next, leftThen }: EndedByLimit): {
  words: string;
  canContinue: boolean;
} {
  if (left === undefined) return { words: "A spending limit ended this turn.", canContinue: true };
  const canContinue = left > next && left > leftThen;
  return {
    words: canContinue ? "The spending limit has room again." : "The spending limit is reached.",
    canContinue,
  };
}
