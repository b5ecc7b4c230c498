// Files named with `@` in what is being written: which word is one, and which paths fit it. Pure.

export interface Mention {
  /** Where its `@` is. */
  start: number;
  end: number;
  /** What comes after the `@`. */
  query: string;
}

/** The mention that is being written at `caret`; an `@` within a word, as in an address, begins none. */
export function mentionAt(text: string, caret: number): Mention | undefined {
  const found = /(?:^|[\s(])@([^\s@`]*)$/.exec(text.slice(0, caret));
  const query = found?.[1];
  return query === undefined ? undefined : { start: caret - query.length - 1, end: caret, query };
}

/** The text with the path in place of the mention, and where one writes on. */
export function withPath(
  text: string,
  { start, end }: Mention,
  path: string,
): { text: string; caret: number } {
  const named = `@${path} `;
  return {
    text: text.slice(0, start) + named + text.slice(end).replace(/^ /, ""),
    caret: start + named.length,
  };
}

/** The paths that have the letters of `query` in their order, those that fit best first. */
export function fittingPaths(paths: readonly string[], query: string, most: number): string[] {
  const wanted = query.toLowerCase();
  return paths
    .flatMap((path) => {
      const score = scoreOf(path.toLowerCase(), wanted);
      return score === undefined ? [] : [{ path, score }];
    })
    .sort((a, b) => b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .slice(0, most)
    .map(({ path }) => path);
}

/** Letters that follow one another, begin a word, or are in the name count more; undefined = it does not fit. */
function scoreOf(path: string, wanted: string): number | undefined {
  const name = path.lastIndexOf("/") + 1;
  const whole = path.indexOf(wanted, name);
  if (whole >= 0) return 1_000 - (whole - name) - (path.length - wanted.length) / 100;
  let score = 0;
  let at = -1;
  for (const letter of wanted) {
    const next = path.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    if (next === at + 1) score += 4;
    if (next >= name) score += 2;
    if (next === 0 || /[/._-]/.test(path[next - 1] ?? "")) score += 3;
    at = next;
  }
  return score - path.length / 100;
}
