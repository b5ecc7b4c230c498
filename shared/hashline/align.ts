// Finds the lines of one text in another, by analysing all shortest differences between the two. It never guesses by
// likeness: a line has a sure place only if all shortest differences agree on it.
import { distances, trace } from "./myers.ts";

/** Steps after which two texts count as too different and no line gets a place; this takes about half a second. */
const defaultMaxWork = 60_000_000;

export interface Alignment {
  /** For each base line: the only live line (from 0) to which an edit of it may be applied (PROTOCOL 5), else -1. */
  sure: Int32Array;
  /**
   * For each base line: the live line at which one of the shortest differences places it, else -1. Used only for
   * display.
   */
  likely: Int32Array;
  /**
   * For each base line: the end (excluded) of the run of sure lines, beginning with it, that are also adjacent in live.
   */
  runEnd: Int32Array;
}

/**
 * A common subsequence can only use lines that both texts have, so the others are left out first. All shortest
 * differences lie between the two outermost paths of the edit grid (paths that cross can be swapped at the crossing),
 * so a pair of lines that both outermost paths keep is kept by every path. A line that also occurs elsewhere in base or
 * in live is sure only if the nearest unique lines above and below it are unchanged too.
 */
export function align(base: readonly string[], live: readonly string[], maxWork = defaultMaxWork): Alignment {
  const { ids: baseIds, counts: baseCounts, idOf } = number(base);
  const liveCounts = new Int32Array(baseCounts.length);
  const liveIds = Int32Array.from(live, (line) => idOf.get(line) ?? -1);
  for (const id of liveIds) if (id >= 0) liveCounts[id] = (liveCounts[id] ?? 0) + 1;

  const twin = new Uint8Array(base.length);
  const baseShared: number[] = [];
  baseIds.forEach((id, index) => {
    const inLive = liveCounts[id] ?? 0;
    if ((baseCounts[id] ?? 0) > 1 || inLive > 1) twin[index] = 1;
    if (inLive > 0) baseShared.push(index);
  });
  const liveShared: number[] = [];
  liveIds.forEach((id, index) => {
    if (id >= 0) liveShared.push(index);
  });

  const sure = new Int32Array(base.length).fill(-1);
  const likely = new Int32Array(base.length).fill(-1);
  const a = Int32Array.from(baseShared, (index) => baseIds[index] ?? -1);
  const b = Int32Array.from(liveShared, (index) => liveIds[index] ?? -1);
  const found = distances(a, b, maxWork);
  if (found) {
    const early = trace(a, b, found, "delete");
    const late = found.total === 0 ? early : trace(a, b, found, "insert");
    baseShared.forEach((index, position) => {
      const match = early[position] ?? -1;
      if (match < 0) return;
      const at = liveShared[match] ?? -1;
      likely[index] = at;
      if (late[position] === match) sure[index] = at;
    });
  }
  forgetUnanchored(sure, twin);
  return { sure, likely, runEnd: runsOf(sure) };
}

/**
 * Among identical lines, a shortest difference can match the wrong ones, so they need sure neighbours. The ends of the
 * file also count as neighbours.
 */
function forgetUnanchored(sure: Int32Array, twin: Uint8Array): void {
  for (let from = 0; from < sure.length; from += 1) {
    if (!twin[from]) continue;
    let to = from + 1;
    while (to < sure.length && twin[to]) to += 1;
    const anchored =
      (from === 0 || (sure[from - 1] ?? -1) >= 0) && (to === sure.length || (sure[to] ?? -1) >= 0);
    if (!anchored) sure.fill(-1, from, to);
    from = to;
  }
}

function number(lines: readonly string[]): { ids: Int32Array; counts: number[]; idOf: Map<string, number> } {
  const idOf = new Map<string, number>();
  const counts: number[] = [];
  const ids = Int32Array.from(lines, (line) => {
    const id = idOf.get(line) ?? counts.length;
    if (id === counts.length) {
      idOf.set(line, id);
      counts.push(0);
    }
    counts[id] = (counts[id] ?? 0) + 1;
    return id;
  });
  return { ids, counts, idOf };
}

function runsOf(sure: Int32Array): Int32Array {
  const runEnd = new Int32Array(sure.length);
  for (let index = sure.length - 1; index >= 0; index -= 1) {
    const place = sure[index] ?? -1;
    if (place < 0) runEnd[index] = index;
    else runEnd[index] = sure[index + 1] === place + 1 ? (runEnd[index + 1] ?? 0) : index + 1;
  }
  return runEnd;
}

/**
 * The live line (from 0) at which base lines `from` to `to - 1` (at least one) begin; null if they are not all sure, or
 * not adjacent there.
 */
export function locate({ sure, runEnd }: Alignment, from: number, to: number): number | null {
  return (runEnd[from] ?? 0) >= to ? (sure[from] ?? null) : null;
}

/**
 * The live lines (from 0, `to` excluded) between the nearest placed lines before and after base lines `from` to `to -
 * 1`.
 */
export function likelyRange(
  alignment: Alignment,
  from: number,
  to: number,
  liveTotal: number,
): [number, number] {
  const { likely } = alignment;
  let before = from - 1;
  while (before >= 0 && (likely[before] ?? -1) < 0) before -= 1;
  let after = to;
  while (after < likely.length && (likely[after] ?? -1) < 0) after += 1;
  return [
    before < 0 ? 0 : (likely[before] ?? 0) + 1,
    after >= likely.length ? liveTotal : (likely[after] ?? liveTotal),
  ];
}
