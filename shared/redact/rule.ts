// The form of a redaction rule: it looks at one place of a text and says what is secret there. Types and two small
// functions.

/** Part of a text that will be replaced by `[redacted: kind]`; ends before `to`. */
export interface FoundSecret {
  from: number;
  to: number;
  kind: string;
}

/** More text could change the answer. Text before `holdFrom` is safe to show in any case. */
export interface Unclear {
  holdFrom: number;
}

/**
 * Looks at `text` where the rule's trigger begins, at `at`. Nothing after the end of `text` may change an answer other
 * than `Unclear`, which is never given where `ended`. Reads at most `lookBehindChars` before `at`.
 */
export type SecretRule = (text: string, at: number, ended: boolean) => FoundSecret | Unclear | undefined;

/** Rules by what begins them. */
export interface RuleSet {
  /** By a literal text; where it begins with a letter or a digit, it is none in the middle of a word. */
  prefixes: ReadonlyMap<string, SecretRule>;
  /** By a word in lower case, wherever it is written and in whatever case; only what comes after it is replaced. */
  words: ReadonlyMap<string, SecretRule>;
  /** Whether a prefix counts in the middle of a word, too. */
  inWord(prefix: string): boolean;
}

export const escapeCode = "\u001b";
/** A colour of a terminal, and that it is cleared to the line's end: the source of a pattern. */
export const colourPattern = `${escapeCode}\\[[\\d;]{0,16}[mK]`;
/** A prefix of such a colour code. */
export const openColour = new RegExp(`^${escapeCode}(?:\\[[\\d;]{0,16})?$`);

/** How much text before a place a rule may need: a name, or the command of an option. */
export const lookBehindChars = 256;

/** `\n`, `\u003d`, `\x3d`, `%3D`, that encoded again, and colours of a terminal as they are sent or written. */
const escapeBefore =
  /(?:\\[abefnrtv0]|\\u[\da-f]{4}|\\u\{[\da-f]{1,6}\}|\\x[\da-f]{2}|\\[0-3][0-7]{2}|%(?:25){0,2}[\da-f]{2}|\[[\d;]{0,16}[mK])$/i;

/** How much text before a place tells whether a word begins there. */
export const escapeChars = 20;

/** Whether a word can begin at `at`: `task-list-…` holds no `sk-`, and `\nsk-…` does. Signs begin anywhere. */
export function beginsWord(text: string, at: number): boolean {
  if (at === 0 || !isWordChar(text.charCodeAt(at - 1)) || !isWordChar(text.charCodeAt(at))) return true;
  return mayEndEscape(text, at) && escapeBefore.test(text.slice(Math.max(0, at - escapeChars), at));
}

/** False if `beginsWord` would be, at a letter or a digit; it costs less to ask. */
export function mayBeginWord(text: string, at: number): boolean {
  return at === 0 || !isWordChar(text.charCodeAt(at - 1)) || mayEndEscape(text, at);
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

/** What each of the escapes has, and hardly a word: a sign where it would begin, or the last letter of a colour. */
function mayEndEscape(text: string, at: number): boolean {
  // A place before the text would be read as no number, which is slow.
  if (at < 7) return true;
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

/** Where `sticky` stops matching at `at`; `at` if it does not match. */
export function endOf(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}

export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
