// The anchor of a line (PROTOCOL 5): three letters that depend on its text alone.
// Frozen: any change here makes every reference that a model has seen wrong.
import { packedTrigrams } from "./trigrams.ts";

const words = Array.from({ length: 2_048 }, (_, index) => packedTrigrams.slice(3 * index, 3 * index + 3));
const known = new Set(words);

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
  let end = line.length;
  while (end > 0) {
    const code = line.charCodeAt(end - 1);
    if (code !== space && code !== tab && code !== carriageReturn) break;
    end -= 1;
  }
  return words[fmix32(fnv1a32(line, end)) & 2_047] ?? "";
}

const offsetBasis = 0x811c9dc5;
const prime = 0x01000193;

/** FNV-1a over the UTF-8 bytes of the first `end` UTF-16 units (no TextEncoder here: shared knows no platform). */
function fnv1a32(text: string, end: number): number {
  let hash = offsetBasis;
  for (let index = 0; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) return beyondAscii(text, index, end, hash);
    hash = Math.imul(hash ^ code, prime);
  }
  return hash;
}

/** The same from `start` on, for any characters; apart from the short loop above, which is what most lines need. */
function beyondAscii(text: string, start: number, end: number, before: number): number {
  let hash = before;
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

/** The finaliser of MurmurHash3: FNV's low bits alone are uneven on short lines. */
function fmix32(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
