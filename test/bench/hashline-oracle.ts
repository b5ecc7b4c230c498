// The rebase rule of PROTOCOL 5 from its definition: all pairs of lines, no cleverness. Slow, and made to be believed.

/**
 * Where base lines `from` to `to` (insertion: the gap at `from`) stand in live, null where it is not certain:
 * `contract` by the words of PROTOCOL 5, `strict` by ours, which asks for whole runs of twins and not only their ends.
 */
export interface Verdict {
  contract: number | null;
  strict: number | null;
}

export function makeOracle(
  base: readonly string[],
  live: readonly string[],
): (from: number, to: number) => Verdict {
  const places = placesOf(base, live);
  const isUntouched = (index: number): boolean => places[index]?.length === 1 && places[index][0] !== null;
  const hasTwin = (index: number): boolean => {
    const text = base[index];
    return base.filter((line) => line === text).length > 1 || live.filter((line) => line === text).length > 1;
  };
  const nearest = (index: number, step: number): number => {
    let at = index;
    while (at >= 0 && at < base.length && hasTwin(at)) at += step;
    return at;
  };
  const inFile = (index: number): boolean => index >= 0 && index < base.length;
  const placeOf = (index: number): number => {
    if (index < 0) return -1;
    return index >= base.length ? live.length : (places[index]?.[0] ?? -1);
  };

  return (from, to) => {
    const refused = { contract: null, strict: null };
    const insertion = from === to;
    const wanted: number[] = [];
    for (let index = insertion ? from - 1 : from; index < (insertion ? to + 1 : to); index += 1) {
      if (inFile(index)) wanted.push(index);
    }
    const first = wanted[0];
    if (first === undefined || !wanted.every(isUntouched)) return refused;
    const start = placeOf(first);
    if (!wanted.every((index, offset) => placeOf(index) === start + offset)) return refused;
    const place = start + from - first;
    let strict: number | null = place;
    for (const index of wanted) {
      const [left, right] = [nearest(index, -1), nearest(index, 1)];
      for (const end of [left, right]) if (inFile(end) && !isUntouched(end)) return refused;
      if (left === right) continue;
      for (let run = left; run <= right; run += 1) {
        if (inFile(run) && !isUntouched(run)) strict = null;
        if (placeOf(run) !== run + start - first) strict = null;
      }
    }
    return { contract: place, strict };
  };
}

/** For each base line everything that becomes of it in some shortest difference: live lines, and null for "deleted". */
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
