// How long the bin keeps a deleted session, in words. Pure.
import { plural } from "../../shared/session/session-summary.ts";

/** Longer than a long holiday. */
export const binDays = 30;
const dayMs = 86_400_000;
export const binMs = binDays * dayMs;

/** "gone in 12 days" for a session that was deleted at `deletedAt`. The clock may have been set back since. */
export function binnedInWords(deletedAt: number, now: number): string {
  const days = Math.min(binDays, Math.max(1, Math.ceil((deletedAt + binMs - now) / dayMs)));
  return `gone in ${plural(days, "day")}`;
}
