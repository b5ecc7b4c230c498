// Where the lines of one text stand in another, by the analysis of every shortest difference between the two.
// No likeness, no guessing: a line is placed where all shortest differences agree, or not at all.
import { distances, trace } from "./myers.ts";

/** Steps after which two texts count as too different: about half a second. Nothing is placed then. */
const defaultMaxWork = 60_000_000;

export interface Alignment {
  /** For each base line: the one live line (from 0) where every shortest difference puts it untouched, else -1. */
  sure: Int32Array;
  /** For each base line: the live line where one of the shortest differences puts it, else -1. For showing only. */
  likely: Int32Array;
  /** For each base line: 1 where the same line stands elsewhere in base, or more than once in live. */
  twin: Uint8Array;
}

/**
 * A common subsequence can only use lines that both texts have, so the others are left out first. All shortest
 * differences lie between the two outermost paths of the edit grid (paths that cross can be swapped at the crossing):
 * a pair of lines that both outermost paths keep is kept by all.
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
  return { sure, likely, twin };
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

/**
 * Where base lines `from` to `to - 1` (from 0, at least one) stand in live: the place of the first, or null unless all
 * are surely there, side by side. At an edge of the range that has twins, so must be the lines on that side up to the
 * nearest one without a twin, or to the end of the file: among look-alikes a shortest difference can be right about
 * texts and wrong about lines. (PROTOCOL 5 asks for the nearest line alone. Asking for those between as well refuses
 * 1 more stale edit in 70 on real source and spares most landings on look-alikes: test/bench/hashline-stale.ts.)
 */
export function locate(alignment: Alignment, from: number, to: number, liveTotal: number): number | null {
  const { sure, twin } = alignment;
  const place = sure[from] ?? -1;
  let first = from;
  while (first >= 0 && twin[first]) first -= 1;
  let last = to - 1;
  while (last < twin.length && twin[last]) last += 1;
  const shift = place - from;
  for (let index = Math.max(first, 0); index <= last && index < twin.length; index += 1) {
    if ((sure[index] ?? -1) < 0 || sure[index] !== index + shift) return null;
  }
  if (first < 0 && shift !== 0) return null;
  if (last >= twin.length && twin.length + shift !== liveTotal) return null;
  return place;
}

/** The live lines (from 0, `to` excluded) between the nearest placed lines around base lines `from` to `to - 1`. */
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
