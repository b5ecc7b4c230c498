// What of the news a person wants to be sent, and when.
import type { NewsKind, NotifyOption } from "../../shared/push.ts";

/** False for a kind that is off, and in quiet hours. `nowMs` since the epoch. */
export function isWanted(
  { kinds, quiet }: Pick<NotifyOption, "kinds" | "quiet">,
  kind: NewsKind,
  nowMs: number,
): boolean {
  // Whoever names the minutes wants to hear it.
  if (kind !== "running" && kinds?.includes(kind) === false) return false;
  if (!quiet) return true;
  const { from, to } = quiet;
  const minute = Math.floor(nowMs / 60_000) % 1_440;
  const isQuiet = from <= to ? from <= minute && minute < to : from <= minute || minute < to;
  return !isQuiet;
}
