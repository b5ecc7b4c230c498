// The form of a redaction rule: it examines one place of a text and says what is secret there. Types and a few small
// functions.

/** A part of a text, from `from` to before `to`, that will be replaced by `[redacted: kind]`. */
export interface FoundSecret {
  from: number;
  to: number;
  kind: string;
  /** Further secrets that were found with this one. They follow it and do not overlap. */
  more?: readonly FoundSecret[];
}

/** More text could change the answer. The text before `holdFrom` can be shown in any case. */
export interface Unclear {
  holdFrom: number;
}

/**
 * Examines `text` at `at`, where the rule's trigger begins. Later text may change only an `Unclear` answer, and with
 * `ended` the rule never answers `Unclear`. Reads at most `lookBehindChars` before `at`.
 */
export type SecretRule = (text: string, at: number, ended: boolean) => FoundSecret | Unclear | undefined;

/** Rules by the text that triggers them. */
export interface RuleSet {
  /** Triggered by a literal text. One that begins with a letter or a digit does not count in the middle of a word. */
  prefixes: ReadonlyMap<string, SecretRule>;
  /** Triggered by a word, given in lower case, in any case and at any place. Only text after the word is replaced. */
  words: ReadonlyMap<string, SecretRule>;
  /** Whether a prefix also counts in the middle of a word. */
  inWord(prefix: string): boolean;
}

export const escapeCode = "\u001b";
/** The source of a pattern for terminal colours and the code that clears to the end of the line. */
export const colourPattern = `${escapeCode}\\[[\\d;]{0,16}[mK]`;
/** A colour code that is cut by the end of the text. */
export const openColour = new RegExp(`^${escapeCode}(?:\\[[\\d;]{0,16})?$`);

/** How much text before a place a rule may read: a name, or the command to which an option belongs. */
export const lookBehindChars = 256;

/**
 * The end of an escape: `\n`, `\u003d`, `\x3d`, `%3D`, the same encoded again, and terminal colours, raw or written
 * out.
 */
const escapeBefore =
  /(?:\\[abefnrtv0]|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[0-3][0-7]{2}|%(?:25){0,2}[\da-f]{2}|\[[\d;]{0,16}[mK])$/i;

/** How much text before a place decides whether a word begins there. */
export const escapeChars = 20;

/** Whether a word can begin at `at`: `sk-` does not count in `task-list-…`, but does in `\nsk-…`. */
export function beginsWord(text: string, at: number): boolean {
  if (!isWordChar(text.charCodeAt(at - 1))) return true;
  return mayEndEscape(text, at) && escapeBefore.test(text.slice(Math.max(0, at - escapeChars), at));
}

/** A cheaper test for letters and digits. It returns false only if `beginsWord` would. */
export function mayBeginWord(text: string, at: number): boolean {
  return !isWordChar(text.charCodeAt(at - 1)) || mayEndEscape(text, at);
}

/** ASCII letters, digits and the underscore. */
export function isWordChar(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
  );
}

const backslash = 92;
const percent = 37;
const colourEnd = 109;
const clearEnd = 75;

/**
 * Whether an escape may end before `at`: it has an escape's first character in the right place, or the last letter of a
 * colour.
 */
function mayEndEscape(text: string, at: number): boolean {
  return (
    (text.charCodeAt(at - 1) | 32) === colourEnd ||
    text.charCodeAt(at - 1) === clearEnd ||
    text.charCodeAt(at - 2) === backslash ||
    text.charCodeAt(at - 3) === percent ||
    text.charCodeAt(at - 5) === percent ||
    text.charCodeAt(at - 7) === percent ||
    text.charCodeAt(at - 4) === backslash ||
    text.charCodeAt(at - 6) === backslash
  );
}

/** The place where `sticky` stops matching from `at`; `at` itself if it does not match. */
export function endOf(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}

export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
