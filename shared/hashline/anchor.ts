// The anchor of a line (PROTOCOL 5): three letters that depend on its text alone. This code must not change: that would
// break every reference that a model has already seen.
import { trigrams } from "./trigrams.ts";

const known = new Set(trigrams);

const space = 0x20;
const tab = 0x09;
const carriageReturn = 0x0d;

/** Whether `text` is one of the 2,048 anchor words. */
export function isAnchorWord(text: string): boolean {
  return known.has(text);
}

/**
 * The three-letter anchor of one line. Trailing spaces, tabs and CR do not count; leading white space does.
 * A lone surrogate counts as U+FFFD, which is what it becomes when the text is written to a file.
 */
export function anchorOf(line: string): string {
  return anchorIn(line, 0, line.length);
}

/** The anchor of the line from `start` to `end` (excluded) of a text, hashed in place. */
export function anchorIn(text: string, start: number, end: number): string {
  let last = end;
  while (last > start && isTrimmed(text.charCodeAt(last - 1))) last -= 1;
  return trigrams[fmix32(fnv1a32(text, start, last)) & 2_047] ?? "";
}

/** Kept as a signed 32-bit number, so that the loops below use integer arithmetic. */
const offsetBasis = 0x811c9dc5 | 0;
const prime = 0x01000193;

function isTrimmed(code: number): boolean {
  return code === space || code === tab || code === carriageReturn;
}

/**
 * FNV-1a over UTF-8, without TextEncoder because shared code must not depend on a platform. Most lines are ASCII, so
 * this first pass assumes ASCII and checks the assumption only at its end.
 */
function fnv1a32(text: string, start: number, end: number): number {
  let hash = offsetBasis;
  let bits = 0;
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    bits |= code;
    hash = Math.imul(hash ^ code, prime);
  }
  return bits < 0x80 ? hash : ofUtf8(text, start, end);
}

/** The same for text with any characters. */
function ofUtf8(text: string, start: number, end: number): number {
  let hash = offsetBasis;
  const add = (byte: number): void => {
    hash = Math.imul(hash ^ byte, prime);
  };
  for (let index = start; index < end; index += 1) {
    let code = text.charCodeAt(index);
    if (code >= 0xd800 && code <= 0xdfff) {
      const low = index + 1 < end ? text.charCodeAt(index + 1) : 0;
      const isPair = code < 0xdc00 && low >= 0xdc00 && low <= 0xdfff;
      code = isPair ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
      if (isPair) index += 1;
    }
    if (code < 0x80) {
      add(code);
    } else if (code < 0x800) {
      add(0xc0 | (code >> 6));
      add(0x80 | (code & 0x3f));
    } else {
      if (code < 0x10000) {
        add(0xe0 | (code >> 12));
      } else {
        add(0xf0 | (code >> 18));
        add(0x80 | ((code >> 12) & 0x3f));
      }
      add(0x80 | ((code >> 6) & 0x3f));
      add(0x80 | (code & 0x3f));
    }
  }
  return hash;
}

/** The finaliser of MurmurHash3, because FNV's low bits are unevenly distributed for short lines. */
function fmix32(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
