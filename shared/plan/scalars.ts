// Sizes of plan texts in Unicode scalar values (PROTOCOL 7): the caps, counting, and cutting with the marker.

/** Bounds what a plan adds to every request while planning: about 28,000 tokens. */
export const maxPlanScalars = 98_304;
/** Bounds one update, and the sum of updates that may follow a body before they are folded in. */
export const maxDeltaScalars = 16_384;

const loneSurrogate = /[\uD800-\uDFFF]/gu;
const markerLine = /^\[truncated: kept \d+ of \d+ chars\]$/;

/** `text` without lone surrogates (they have no UTF-8 form); each becomes U+FFFD. */
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

/** The first `count` scalars of `text`, or all of it when it has fewer. */
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

/** Whether a whole line is the marker of a text that was cut. */
export function isTruncationMarker(line: string): boolean {
  return markerLine.test(line);
}

export interface Cut {
  text: string;
  /** Absent when nothing was cut; scalars of the original that are kept, and that it had. */
  truncated?: { kept: number; of: number };
}

/**
 * `text` itself when it has at most `cap` scalars; otherwise its beginning, a line break and the
 * marker, together at most `cap`. A cap without room for the marker keeps nothing but the marker.
 */
export function cutToCap(text: string, cap: number): Cut {
  const of = countScalars(text);
  if (of <= cap) return { text };
  // The marker is longest when all is kept, so room for that one is room for any.
  const room = cap - truncationMarker(of, of).length - 1;
  const kept = Math.max(0, keptFor(room, cap, of));
  return { text: `${takeScalars(text, kept)}\n${truncationMarker(kept, of)}`, truncated: { kept, of } };
}

/** The most scalars that can be kept: the number itself has digits, which may be fewer than those of `of`. */
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
