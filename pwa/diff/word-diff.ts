// Finds which words of two versions of a line differ, to highlight them in a diff.

export interface WordPiece {
  text: string;
  changed: boolean;
}

/** Longer lines get no highlights: time and memory grow with the square of the number of words. */
const maxWords = 120;

/** The pieces of the old and the new line; undefined if they have too little in common to be versions of one line. */
export function wordDiff(
  before: string,
  after: string,
): { before: WordPiece[]; after: WordPiece[] } | undefined {
  const a = words(before);
  const b = words(after);
  if (a.length > maxWords || b.length > maxWords) return undefined;
  const common = longestCommon(a, b);
  const kept = common.reduce((sum, [at]) => sum + (a[at] ?? "").trim().length, 0);
  const whole = Math.max(before.trim().length, after.trim().length);
  if (whole === 0 || kept / whole < 0.35) return undefined;
  return {
    before: pieces(a, new Set(common.map(([at]) => at))),
    after: pieces(b, new Set(common.map(([, at]) => at))),
  };
}

function words(line: string): string[] {
  return line.match(/\s+|[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu) ?? [];
}

/** Pairs of indexes of a longest common subsequence. */
function longestCommon(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

function pieces(parts: readonly string[], same: ReadonlySet<number>): WordPiece[] {
  const result: WordPiece[] = [];
  parts.forEach((text, index) => {
    const changed = !same.has(index);
    const last = result.at(-1);
    if (last !== undefined && last.changed === changed) last.text += text;
    else result.push({ text, changed });
  });
  return result;
}
