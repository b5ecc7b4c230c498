// Shortest differences of two sequences, by Myers' O(ND) method; the distances are kept so that paths can be traced. It
// knows nothing about lines or edits.

/**
 * How many numbers are kept for all levels (16 MB). Beyond that, only every 64th level is kept and the others are
 * recomputed.
 */
const freelyKept = 4_000_000;
const stride = 64;
const unreached = -2;

/** One frontier: for each diagonal k = x - y with the level's parity, the furthest x that `d` edits reach. */
interface Level {
  first: number;
  furthest: Int32Array;
}

/**
 * Distances from every point of the edit grid to its far corner. `x` counts items of `a` and `y` items of `b`. A step
 * to the right deletes an item of `a`, a step down inserts an item of `b`, and a diagonal step keeps one.
 */
export interface Distances {
  /** Length of a shortest difference. */
  total: number;
  /** Whether at most `edits` edits lead from (x, y) to the far corner. Fast if `edits` decreases from call to call. */
  within(x: number, y: number, edits: number): boolean;
}

/** Returns null if more than about `maxWork` steps would be needed. */
export function distances<T>(a: ArrayLike<T>, b: ArrayLike<T>, maxWork: number): Distances | null {
  // The search runs on the reversed sequences: from the far corner towards the origin.
  const [n, m] = [a.length, b.length];
  const offset = m + 1;
  const furthest = new Int32Array(n + m + 3);
  let work = 0;

  function advance(d: number, row: Int32Array): void {
    const low = d <= m ? -d : -m + ((d - m) & 1);
    const high = d <= n ? d : n - ((d - n) & 1);
    for (let k = low; k <= high; k += 2) {
      const right = (row[offset + k - 1] ?? unreached) + 1;
      const down = row[offset + k + 1] ?? unreached;
      let x = d === 0 ? 0 : Math.max(right, down);
      const before = x;
      let y = x - k;
      while (x < n && y < m && a[n - 1 - x] === b[m - 1 - y]) {
        x += 1;
        y += 1;
      }
      row[offset + k] = x;
      work += 1 + x - before;
    }
  }

  function keep(d: number, row: Int32Array): Level {
    const low = d <= m ? -d : -m + ((d - m) & 1);
    const high = d <= n ? d : n - ((d - n) & 1);
    const count = high < low ? 0 : (high - low) / 2 + 1;
    const level = new Int32Array(count);
    for (let index = 0; index < count; index += 1) level[index] = row[offset + low + 2 * index] ?? unreached;
    return { first: low, furthest: level };
  }

  furthest.fill(unreached);
  const kept: (Level | undefined)[] = [];
  let keptNumbers = 0;
  let total = 0;
  for (; ; total += 1) {
    advance(total, furthest);
    if (total % stride === 0 || keptNumbers < freelyKept) {
      const level = keep(total, furthest);
      keptNumbers += level.furthest.length;
      kept[total] = level;
    }
    if ((furthest[offset + n - m] ?? unreached) >= n && ((total - (n - m)) & 1) === 0) break;
    if (work > maxWork) return null;
  }

  let block: Level[] = [];
  let blockStart = -1;
  function levelOf(d: number): Level | undefined {
    if (kept[d]) return kept[d];
    const start = d - (d % stride);
    const first = kept[start];
    if (start !== blockStart && first) {
      furthest.fill(unreached);
      first.furthest.forEach((x, index) => {
        furthest[offset + first.first + 2 * index] = x;
      });
      block = [first];
      for (let next = start + 1; next < start + stride && next <= total; next += 1) {
        advance(next, furthest);
        block.push(keep(next, furthest));
      }
      blockStart = start;
    }
    return block[d - start];
  }

  function within(x: number, y: number, edits: number): boolean {
    if (edits < 0 || x > n || y > m) return false;
    const level = levelOf(edits);
    const k = n - x - (m - y);
    return level !== undefined && (level.furthest[(k - level.first) / 2] ?? unreached) >= n - x;
  }

  return { total, within };
}

/** Which move a path takes if several belong to shortest differences. */
export type Preference = "keep" | "delete" | "insert";

/**
 * One shortest difference, as the index in `b` of every item of `a` (-1 = deleted). "delete" and "insert" give the two
 * outermost paths, between which all others lie; "keep" gives the one whose changes come as late as possible.
 */
export function trace<T>(a: ArrayLike<T>, b: ArrayLike<T>, found: Distances, prefer: Preference): Int32Array {
  const matches = new Int32Array(a.length).fill(-1);
  let [x, y, left] = [0, 0, found.total];
  while (x < a.length || y < b.length) {
    const canKeep = x < a.length && y < b.length && a[x] === b[y];
    const wantsDelete = prefer === "delete" || (!canKeep && prefer === "keep");
    if (wantsDelete && found.within(x + 1, y, left - 1)) {
      x += 1;
      left -= 1;
    } else if (prefer === "insert" && found.within(x, y + 1, left - 1)) {
      y += 1;
      left -= 1;
    } else if (canKeep) {
      matches[x] = y;
      x += 1;
      y += 1;
    } else {
      if (prefer === "insert") x += 1;
      else y += 1;
      left -= 1;
    }
  }
  return matches;
}
