// The rebase rule of PROTOCOL 5, computed directly from its definition: it compares all pairs of lines
// without optimization, so it is slow and easy to verify.

/**
 * Returns the place of base lines `from` to `to` in the live file (for an insertion, the gap at `from`); null
 * if the edit must be refused.
 */
export type Oracle = (from: number, to: number) => number | null;

export function makeOracle(base: readonly string[], live: readonly string[]): Oracle {
  const places = placesOf(base, live);
  const counts = [base, live].map(countOf);
  const isUntouched = (index: number): boolean => places[index]?.length === 1 && places[index][0] !== null;
  const hasTwin = (index: number): boolean => counts.some((count) => (count.get(base[index] ?? "") ?? 0) > 1);
  const nearestWithoutTwin = (index: number, step: number): number => {
    let at = index;
    while (at >= 0 && at < base.length && hasTwin(at)) at += step;
    return at;
  };
  const inFile = (index: number): boolean => index >= 0 && index < base.length;

  return (from, to) => {
    const isInsertion = from === to;
    const wanted: number[] = [];
    for (let index = isInsertion ? from - 1 : from; index < (isInsertion ? to + 1 : to); index += 1) {
      if (inFile(index)) wanted.push(index);
    }
    const [first] = wanted;
    if (first === undefined || !wanted.every(isUntouched)) return null;
    const start = places[first]?.[0] ?? 0;
    if (!wanted.every((index, offset) => places[index]?.[0] === start + offset)) return null;
    for (const index of wanted) {
      for (const end of [nearestWithoutTwin(index, -1), nearestWithoutTwin(index, 1)])
        if (inFile(end) && !isUntouched(end)) return null;
    }
    return start + from - first;
  };
}

function countOf(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** For each base line, its results in all shortest differences: a live line, or null for "deleted". */
export function placesOf(base: readonly string[], live: readonly string[]): (number | null)[][] {
  const [n, m] = [base.length, live.length];
  const width = m + 1;
  const heads = new Int32Array((n + 1) * width);
  const tails = new Int32Array((n + 1) * width);
  const at = (table: Int32Array, x: number, y: number): number => table[x * width + y] ?? 0;
  for (let x = 1; x <= n; x += 1) {
    for (let y = 1; y <= m; y += 1) {
      const keep = base[x - 1] === live[y - 1] ? at(heads, x - 1, y - 1) + 1 : 0;
      heads[x * width + y] = Math.max(keep, at(heads, x - 1, y), at(heads, x, y - 1));
    }
  }
  for (let x = n - 1; x >= 0; x -= 1) {
    for (let y = m - 1; y >= 0; y -= 1) {
      const keep = base[x] === live[y] ? at(tails, x + 1, y + 1) + 1 : 0;
      tails[x * width + y] = Math.max(keep, at(tails, x + 1, y), at(tails, x, y + 1));
    }
  }
  const most = at(heads, n, m);
  return base.map((line, x) => {
    const places: (number | null)[] = [];
    for (let y = 0; y < m; y += 1) {
      if (line === live[y] && at(heads, x, y) + 1 + at(tails, x + 1, y + 1) === most) places.push(y);
    }
    for (let y = 0; y <= m; y += 1) {
      if (at(heads, x, y) + at(tails, x + 1, y) === most) {
        places.push(null);
        break;
      }
    }
    return places;
  });
}
