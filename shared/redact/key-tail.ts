// The rest of a private key without its beginning, as `tail` shows it: lines of base64 up to the line that ends a key. Only
// the end tells, so a stream holds such lines back until it is clear what ends them. Pure.
import { gap, maxKeyChars } from "./key-blocks.ts";
import { endOf } from "./rule.ts";
import { shown } from "./shown.ts";
import type { RedactingStream } from "./stream.ts";

/** PEM and PGP, SSH2, and what follows the last line of a key of PuTTY. */
const keyEnd = /-----END[ A-Z0-9_-]{0,60}PRIVATE KEY|---- END SSH2 ENCRYPTED PRIVATE KEY|Private-MAC: /y;
const anyEnd = new RegExp(keyEnd.source);
const openEnd =
  /-{1,5}(?: (?:E(?:N(?:D[ A-Z0-9_-]{0,80})?)?)?|E(?:N(?:D[ A-Z0-9_-]{0,80})?)?)?$|P[rivateMAC: -]{0,12}$/y;
/** Before the first line: an indent, quotes, the sign of a difference, a line's number. */
const lead = /[ \t"'+>|*#]{0,8}(?:\d{1,5}[:|\t-][ \t]{0,16})?/y;
/** A rule may have marked a part of a line. */
const line = /(?:[A-Za-z0-9+/=]|\[redacted: [A-Za-z0-9 ]{1,40}\])+/y;

/** Shorter ones are words. A stream shows as much of a first line before it can be told to be of a key. */
const minFirstChars = 16;
/** A whole line of a key is longer: the shorter ones are its last line and PGP's checksum. */
const fullLineChars = 40;
const maxShortLines = 2;
/** Where other rules have marked every line, nothing is left to hide; and a list of folders is no key. */
const isOpenlyShown = /[A-Za-z0-9+/=]{32}/;

type JudgedLine =
  | { is: "key"; from: number; to: number }
  /** The text ends before it is clear. */
  | { is: "open" }
  /** No key can begin before `next`, or in its line's beginning. */
  | { is: "none"; next: number };

/** `at`: where a line begins. */
function judge(text: string, at: number, ended: boolean): JudgedLine {
  const from = endOf(lead, text, at);
  const limit = at + maxKeyChars;
  let to = from;
  let shortLines = 0;
  for (let place = from; ; place = endOf(gap, text, to)) {
    if (to > from && endOf(keyEnd, text, place) > place)
      return isOpenlyShown.test(text.slice(from, to)) ? { is: "key", from, to } : { is: "none", next: place };
    const end = endOf(line, text, place);
    const isOpen = !ended && (end === text.length || endOf(openEnd, text, place) === text.length);
    if (isOpen && end < limit) return { is: "open" };
    const chars = end - place;
    // A line that was cut by whoever showed the end of a file may be short, too.
    if (chars < fullLineChars && to > from) shortLines += 1;
    const isKey = chars >= (to === from ? minFirstChars : 1) && shortLines <= maxShortLines;
    if (!isKey || end > limit) return { is: "none", next: Math.max(place, at + 1) };
    to = end;
  }
}

/** `text` with marks in place of partial keys. */
export function withoutKeyTails(text: string): string {
  // Hardly any text has one.
  if (!anyEnd.test(text)) return text;
  const found = [];
  for (let at = 0; at < text.length && at >= 0; ) {
    const judged = judge(text, at, true);
    if (judged.is === "key") found.push({ ...judged, kind: "private key" });
    at = nextLine(text, judged.is === "key" ? judged.to : judged.is === "none" ? judged.next : text.length);
  }
  return shown(text, 0, text.length, found);
}

/** Where the next line begins at or after `from`; -1 if the text has none. */
function nextLine(text: string, from: number): number {
  return from === 0 || text[from - 1] === "\n" ? from : text.indexOf("\n", from) + 1 || -1;
}

/** The same for text that comes in pieces, but for up to 15 characters of a first line that were shown already. */
export function keyTailStream(): RedactingStream {
  /** From the beginning of a line on, what may yet be a key; and how much of it was shown. */
  let held = "";
  let shownChars = 0;
  let isLineStart = true;

  /** In the middle of a line of base64: nothing is decided before it ends. */
  function goesOn(more: string): boolean {
    return (
      held.length >= minFirstChars &&
      held.length + more.length < maxKeyChars &&
      endOf(line, more, 0) === more.length
    );
  }

  function advance(more: string, ended: boolean): string {
    if (!isLineStart && !more.includes("\n")) return more;
    if (!ended && goesOn(more)) {
      held += more;
      return "";
    }
    const text = held + more;
    const found = [];
    let at = isLineStart ? 0 : nextLine(text, 1);
    while (at >= 0 && at < text.length) {
      const judged = judge(text, at, ended);
      if (judged.is === "open") break;
      if (judged.is === "key") found.push({ ...judged, kind: "private key" });
      at = nextLine(text, judged.is === "key" ? judged.to : judged.next);
    }
    isLineStart = at >= 0;
    const keptFrom = isLineStart ? at : text.length;
    const rest = text.slice(keptFrom);
    const isWord = rest.length < minFirstChars && !rest.includes("\n");
    const from = Math.min(shownChars, text.length);
    const to = Math.max(from, isWord ? text.length : keptFrom);
    held = rest;
    shownChars = to - keptFrom;
    return shown(text, from, to, found);
  }
  return { push: (text) => advance(text, false), end: () => advance("", true) };
}
