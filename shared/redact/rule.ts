// What a rule of redaction is: it looks at one place of a text and says what is secret there. Types and two small looks.

/** Part of a text that is to be replaced by `[redacted: kind]`; ends where `to` begins. */
export interface Found {
  from: number;
  to: number;
  kind: string;
}

/** More text could change the answer. What comes before `holdFrom` can be shown whatever follows. */
export interface Unclear {
  holdFrom: number;
}

/**
 * Looks at `text` where the rule's trigger begins, at `at`. Nothing after the end of `text` may change an answer other
 * than `Unclear`, which is never given where `ended`. Reads at most `lookBehindChars` before `at`.
 */
export type Rule = (text: string, at: number, ended: boolean) => Found | Unclear | undefined;

/** Rules by what begins them. */
export interface RuleSet {
  /** By a literal text; where it begins with a letter or a digit, it is none in the middle of a word. */
  prefixes: ReadonlyMap<string, Rule>;
  /** By a word in lower case, wherever it is written and in whatever case; only what comes after it is replaced. */
  words: ReadonlyMap<string, Rule>;
  /** Whether a prefix counts in the middle of a word, too. */
  inWord(prefix: string): boolean;
}

/** How much text before a place a rule may need: a name, or the command of an option. */
export const lookBehindChars = 256;

const wordChar = /[A-Za-z0-9_]/;
/** `\n`, `\u003d`, `\x3d`, `%3D`, and colours of a terminal as they are sent or written. */
const escapeBefore =
  /(?:\\[abefnrtv0]|\\u[\da-f]{4}|\\u\{[\da-f]{1,6}\}|\\x[\da-f]{2}|\\[0-3][0-7]{2}|%[\da-f]{2}|\[[\d;]{0,16}m)$/i;

/** Whether a word can begin at `at`: `task-list-…` holds no `sk-`, and `\nsk-…` does. Signs begin anywhere. */
export function beginsWord(text: string, at: number): boolean {
  const before = text[at - 1];
  if (before === undefined || !wordChar.test(before) || !wordChar.test(text[at] ?? " ")) return true;
  return escapeBefore.test(text.slice(Math.max(0, at - 20), at));
}

/** Where `sticky` stops matching at `at`; `at` where it does not match. */
export function endOf(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}

export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
