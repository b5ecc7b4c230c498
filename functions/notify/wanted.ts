// Decides which news a person wants to get, and when.
import type { NewsKind, NotifyOption } from "../../shared/push.ts";

/** False for a kind that is turned off, and in quiet hours. `nowMs`: milliseconds since the epoch. */
export function isWanted(
  { kinds, quiet }: Pick<NotifyOption, "kinds" | "quiet">,
  kind: NewsKind,
  nowMs: number,
): boolean {
  // Setting a number of minutes already asks for this kind.
  if (kind !== "running" && kinds?.includes(kind) === false) return false;
  if (!quiet) return true;
  const { from, to } = quiet;
  const minute = Math.floor(nowMs / 60_000) % 1_440;
  const isQuiet = from <= to ? from <= minute && minute < to : from <= minute || minute < to;
  return !isQuiet;
}
