// Files mentioned with `@`, and issues with `#`, in the text being written: which word is one, and which paths match. Pure.
import type { ForgeIssue } from "../../shared/forge.ts";
import { visibleText } from "../../shared/visible-text.ts";

export interface Mention {
  sign: "@" | "#";
  /** Where its sign is. */
  start: number;
  end: number;
  /** What comes after the sign. */
  query: string;
}

/** The mention that is being written at `caret`; a sign within a word, as in an address, begins none. */
export function mentionAt(text: string, caret: number): Mention | undefined {
  const found = /(?:^|[\s(])([@#])([^\s@#`]*)$/.exec(text.slice(0, caret));
  const [, sign, query] = found ?? [];
  if (query === undefined) return undefined;
  return { sign: sign === "#" ? "#" : "@", start: caret - query.length - 1, end: caret, query };
}

/**
 * The text with the picked item in place of the mention, and the caret's position after it. A file's name becomes words
 * of the person: what hides in it is written out, and spaces do not end it.
 */
export function withMention(
  text: string,
  { sign, start, end }: Mention,
  picked: string,
): { text: string; caret: number } {
  const shown = visibleText(picked, "line");
  const named = `${sign}${/[\s"]/.test(shown) ? JSON.stringify(shown) : shown} `;
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

/** What an issue says, as a file that goes with the message: the model reads it as data. */
export function issueFile({ number, title, url, text }: ForgeIssue): File {
  return new File([`# ${title}\n${url}\n\n${text}\n`], `issue-${number}.md`, { type: "text/markdown" });
}
