// Files mentioned with `@`, and issues with `#`, in the text being written: finds the mention at the caret, and the
// paths that match. Pure.
import type { ForgeIssue } from "../../shared/forge.ts";
import { visibleText } from "../../shared/visible-text.ts";

export interface Mention {
  sign: "@" | "#";
  /** The index of its sign. */
  start: number;
  end: number;
  /** The text after the sign. */
  query: string;
}

/**
 * The mention that is being written at `caret`. A sign within a word, for example in a mail address, does not begin
 * one.
 */
export function mentionAt(text: string, caret: number): Mention | undefined {
  const found = /(?:^|[\s(])([@#])([^\s@#`]*)$/.exec(text.slice(0, caret));
  const [, sign, query] = found ?? [];
  if (query === undefined) return undefined;
  return { sign: sign === "#" ? "#" : "@", start: caret - query.length - 1, end: caret, query };
}

/**
 * Returns the text with the picked item in place of the mention, and the caret's position after it. A file's name
 * becomes part of what the person says, so hidden characters in it are written out, and spaces do not end it.
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

/** The paths that contain the letters of `query` in their order, best matches first. */
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

/**
 * Letters count more if they follow each other, begin a word, or are in the name; undefined if the path does not match.
 */
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

/** The text of an issue as a file that is sent with the message, so that the model reads it as data. */
export function issueFile({ number, title, url, text }: ForgeIssue): File {
  return new File([`# ${title}\n${url}\n\n${text}\n`], `issue-${number}.md`, { type: "text/markdown" });
}
