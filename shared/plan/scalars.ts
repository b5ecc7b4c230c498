// Sizes of plan texts in Unicode scalar values (PROTOCOL 7): the limits, counting, and cutting with the marker.

/** Limits what a plan adds to every request while planning, to about 28,000 tokens. */
export const maxPlanScalars = 98_304;
/** Limits one update, and the sum of the updates to one body before they are merged into a new version. */
export const maxDeltaScalars = 16_384;

const loneSurrogate = /[\uD800-\uDFFF]/gu;
const markerLine = /^\[truncated: kept \d+ of \d+ chars\]$/;

/** `text` with U+FFFD in place of each lone surrogate, which UTF-8 cannot represent. */
export function wellFormed(text: string): string {
  return text.replace(loneSurrogate, "\uFFFD");
}

export function countScalars(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) count -= 1;
  }
  return count;
}

/** The first `count` scalars of `text`, or all of it if it has fewer. */
export function takeScalars(text: string, count: number): string {
  let at = 0;
  for (let taken = 0; taken < count && at < text.length; taken += 1) {
    at += isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1)) ? 2 : 1;
  }
  return text.slice(0, at);
}

export function truncationMarker(kept: number, of: number): string {
  return `[truncated: kept ${kept} of ${of} chars]`;
}

/** Whether a line is the marker that ends a truncated text. */
export function isTruncationMarker(line: string): boolean {
  return markerLine.test(line);
}

export interface Cut {
  text: string;
  /** Absent if nothing was cut; otherwise how many scalars were kept, and how many the original had. */
  truncated?: { kept: number; of: number };
}

/**
 * `text` itself if it has at most `cap` scalars; otherwise its beginning, a line break and the marker, together at most
 * `cap`. If the limit leaves no room for text, only the marker is returned.
 */
export function cutToCap(text: string, cap: number): Cut {
  const of = countScalars(text);
  if (of <= cap) return { text };
  // The marker is longest if everything is kept, so room for that one is enough for any.
  const room = cap - truncationMarker(of, of).length - 1;
  const kept = Math.max(0, keptFor(room, cap, of));
  return { text: `${takeScalars(text, kept)}\n${truncationMarker(kept, of)}`, truncated: { kept, of } };
}

/**
 * The largest number of scalars that can be kept. Its own digits are part of the marker, and there may be fewer of them
 * than in `of`.
 */
function keptFor(room: number, cap: number, of: number): number {
  let kept = room;
  while (kept + 1 + 1 + truncationMarker(kept + 1, of).length <= cap) kept += 1;
  return kept;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
