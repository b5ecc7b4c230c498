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

/**
 * The paths that contain the letters of `query` in their order, best matches first: a name that contains the text, then a
 * path that contains it, then a name with all of its letters. Letters scattered over folders and name count only if no path
 * contains the text.
 */
export function fittingPaths(paths: readonly string[], query: string, most: number): string[] {
  const wanted = query.toLowerCase();
  const found = paths
    .flatMap((path) => {
      const score = scoreOf(path.toLowerCase(), wanted);
      return score === undefined ? [] : [{ path, score }];
    })
    .sort((a, b) => b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
  const least = (found[0]?.score ?? 0) > containing ? inOneName : Number.NEGATIVE_INFINITY;
  return found
    .filter(({ score }) => score > least)
    .slice(0, most)
    .map(({ path }) => path);
}

/** Scores above these are of paths that contain the text, and of names that have all of its letters. */
const containing = 2_500;
const inOneName = 1_500;

/** Undefined if the path does not match. Letters count more if they follow each other or begin a word. */
function scoreOf(path: string, wanted: string): number | undefined {
  const name = path.lastIndexOf("/") + 1;
  const whole = path.indexOf(wanted, name);
  if (whole >= 0) return 4_000 - (whole - name) - (path.length - wanted.length) / 100;
  const part = path.indexOf(wanted);
  if (part >= 0) return 3_000 + (isWordStart(path, part) ? 1 : 0) - path.length / 100;
  const inName = scoreOfLetters(path, wanted, name);
  if (inName !== undefined) return 2_000 + inName;
  return scoreOfLetters(path, wanted, 0);
}

function scoreOfLetters(path: string, wanted: string, from: number): number | undefined {
  let score = -path.length / 100;
  let at = from - 1;
  for (const letter of wanted) {
    const next = path.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    if (next === at + 1) score += 4;
    if (isWordStart(path, next)) score += 3;
    at = next;
  }
  return score;
}

function isWordStart(path: string, at: number): boolean {
  return at === 0 || /[/._-]/.test(path[at - 1] ?? "");
}

/** The issues whose number begins with `wanted` or whose title contains it, in their order; that number itself is first. */
export function namedFirst(issues: readonly ForgeIssue[], wanted: string): ForgeIssue[] {
  const isNamed = ({ number }: ForgeIssue) => Number(String(number) === wanted);
  return issues
    .filter(({ number, title }) => String(number).startsWith(wanted) || title.toLowerCase().includes(wanted))
    .sort((a, b) => isNamed(b) - isNamed(a));
}

/** The text of an issue as a file that is sent with the message, so that the model reads it as data. */
export function issueFile({ number, title, url, text }: ForgeIssue): File {
  return new File([`# ${title}\n${url}\n\n${text}\n`], `issue-${number}.md`, { type: "text/markdown" });
}
