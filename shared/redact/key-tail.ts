// Finds the rest of a private key whose beginning is missing, as `tail` shows it: lines of base64 up to the line that
// ends a key. Only that line proves that it is a key, so a stream holds such lines back until then. Pure.
import { gap, maxKeyChars } from "./key-blocks.ts";
import { endOf, type FoundSecret } from "./rule.ts";
import { shown } from "./shown.ts";
import type { RedactingStream } from "./stream.ts";

/** The end of a PEM or PGP key, of an SSH2 key, and the line after the last line of a PuTTY key. */
const keyEnd = /-----END[ A-Z0-9_-]{0,60}PRIVATE KEY|---- END SSH2 ENCRYPTED PRIVATE KEY|Private-MAC: /y;
const anyEnd = new RegExp(keyEnd.source);
const openEnd =
  /-{1,5}(?: (?:E(?:N(?:D[ A-Z0-9_-]{0,80})?)?)?|E(?:N(?:D[ A-Z0-9_-]{0,80})?)?)?$|P[rivateMAC: -]{0,12}$/y;
/** What may come before the first line: an indent, quotes, a diff mark, a line number. */
const lead = /[ \t"'+>|*#]{0,8}(?:\d{1,5}[:|\t-][ \t]{0,16})?/y;
/** Part of a line may already have been replaced by another rule's mark. */
const line = /(?:[A-Za-z0-9+/=]|\[redacted: [A-Za-z0-9 ]{1,40}\])+/y;

/**
 * A first line that is shorter than this is taken for words. A stream may therefore show up to this many characters of a
 * key's first line before it knows that they belong to a key.
 */
const minFirstChars = 16;
/** A full line of a key is longer than this. Only its last line and PGP's checksum are shorter. */
const fullLineChars = 40;
const maxShortLines = 2;
/**
 * If other rules have replaced every line, nothing is left to hide. This also keeps a list of folders from counting as
 * a key.
 */
const isOpenlyShown = /[A-Za-z0-9+/=]{32}/;

/** The key that begins on a line, if one does, and where to continue. */
interface JudgedLine {
  keys: readonly FoundSecret[];
  next: number;
}

/** `at`: where a line begins. Undefined if the text ends before the question is decided. */
function judge(text: string, at: number, ended: boolean): JudgedLine | undefined {
  const from = endOf(lead, text, at);
  const limit = at + maxKeyChars;
  let to = from;
  let shortLines = 0;
  for (let place = from; ; place = endOf(gap, text, to)) {
    if (to > from && endOf(keyEnd, text, place) > place)
      return isOpenlyShown.test(text.slice(from, to))
        ? { keys: [{ from, to, kind: "private key" }], next: to }
        : { keys: [], next: place };
    const end = endOf(line, text, place);
    const isOpen = !ended && (end === text.length || endOf(openEnd, text, place) === text.length);
    if (isOpen && end < limit) return undefined;
    const chars = end - place;
    // The first line can also be short, because the tool that showed the end of the file may have cut it.
    if (chars < fullLineChars && to > from) shortLines += 1;
    const isKey = chars >= (to === from ? minFirstChars : 1) && shortLines <= maxShortLines;
    if (!isKey || end > limit) return { keys: [], next: Math.max(place, at + 1) };
    to = end;
  }
}

/** The keys from `start`, where a line begins, and the first line that is not decided; -1 if all are. */
function keysIn(text: string, start: number, ended: boolean) {
  const found: FoundSecret[] = [];
  let at = start;
  while (at >= 0) {
    const judged = judge(text, at, ended);
    if (!judged) break;
    found.push(...judged.keys);
    at = nextLine(text, judged.next);
  }
  return { found, at };
}

/** `text` with marks in place of partial keys. */
export function withoutKeyTails(text: string): string {
  // A fast check, because few texts contain one.
  return anyEnd.test(text) ? shown(text, 0, text.length, keysIn(text, 0, true).found) : text;
}

/** The first beginning of a line at or after `from`; -1 if there is none. */
function nextLine(text: string, from: number): number {
  return text[from - 1] === "\n" ? from : text.indexOf("\n", from) + 1 || -1;
}

/** The same for text in pieces, except that up to 15 characters of a first line may already have been shown. */
export function keyTailStream(): RedactingStream {
  /** The text from the beginning of a line that may still be a key, and how much of it has been shown. */
  let held = "";
  let shownChars = 0;
  let isLineStart = true;

  /** Whether the text is in the middle of a line of base64, where nothing can be decided before the line ends. */
  function continues(more: string): boolean {
    return (
      held.length >= minFirstChars &&
      held.length + more.length < maxKeyChars &&
      endOf(line, more, 0) === more.length
    );
  }

  function advance(more: string, ended: boolean): string {
    if (!ended && continues(more)) {
      held += more;
      return "";
    }
    const text = held + more;
    const { found, at } = keysIn(text, isLineStart ? 0 : nextLine(text, 1), ended);
    isLineStart = at >= 0;
    const keptFrom = isLineStart ? at : text.length;
    const rest = text.slice(keptFrom);
    const isWord = rest.length < minFirstChars;
    const from = Math.min(shownChars, text.length);
    const to = Math.max(from, isWord ? text.length : keptFrom);
    held = rest;
    shownChars = to - keptFrom;
    return shown(text, from, to, found);
  }
  return { push: (text) => advance(text, false), end: () => advance("", true) };
}
