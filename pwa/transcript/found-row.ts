// Finds the row of a search match, and the class that marks it.

import { foundRow, type ScrollTarget } from "../session/scroll-target.ts";
import type { Row } from "./rows.ts";

type FoundEntry = Extract<ScrollTarget, { to: "found" }>;

/** `at` is the index of the row on the rail; `key` is that of the row itself, which may be part of a step. */
interface FoundRow {
  at: number;
  key: string;
}

/**
 * The entry's own row, or the row that shows its text: for a plan the card that follows, for a question or its answer
 * the choice. Undefined if no row shows it, or if none of the loaded rows comes before it and `more` could be loaded.
 */
export function rowOfFound(rows: readonly Row[], found: FoundEntry, more: boolean): FoundRow | undefined {
  const own = `${found.turnId}.${found.id}`;
  const all = rows.flatMap((row, at) => [
    { at, row },
    ...(row.kind === "station" ? row.rows.map((below) => ({ at, row: below })) : []),
  ]);
  const same = all.findLast(({ row }) => row.key === own);
  if (same !== undefined) return { at: same.at, key: own };
  const kind = found.who === "Plan" ? "plan" : "chose";
  const before = all.findLastIndex(({ row }) => {
    const id = idIn(row.key, found.turnId);
    return id !== undefined && id < found.id;
  });
  const after = before < 0 ? all.findIndex(({ row }) => idIn(row.key, found.turnId) !== undefined) : before;
  if (after < 0 || (more && before < 0 && after === 0)) return undefined;
  const shows = all.slice(after).find(({ row }) => row.kind === kind);
  return shows && { at: shows.at, key: shows.row.key };
}

function idIn(key: string, turnId: string): number | undefined {
  return key.startsWith(`${turnId}.`) ? Number.parseInt(key.slice(turnId.length + 1), 10) : undefined;
}

export function foundClass({ key }: { key: string }): string {
  return foundRow.value === key ? " found-here" : "";
}
