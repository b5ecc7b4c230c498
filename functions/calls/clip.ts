// Texts cut to a size in UTF-8 bytes: head and tail kept, whole lines where there are any, the gap always named.

/** The head gets more of the room: headers and first errors are there. */
const headShare = 0.6;

export interface Gap {
  /** Lines and bytes that are missing. */
  lines: number;
  bytes: number;
  /** Index of the first missing line. */
  from: number;
}

/**
 * `text` in at most `maxBytes`, or more if the gap's label alone needs more. `name` returns that label; it is
 * called twice, and only its numbers may differ in length.
 */
export function clip(text: string, maxBytes: number, name: (gap: Gap) => string = nameGap): string {
  const size = byteLength(text);
  if (size <= maxBytes) return text;
  const lines = text.split("\n");
  const room = maxBytes - byteLength(name({ lines: lines.length, bytes: size, from: lines.length })) - 8;
  const head = linesWithin(lines, Math.floor(room * headShare));
  const tail = linesWithin(lines.slice(head.length).reverse(), room - sizeOf(head)).reverse();
  // Lines too long to keep whole: the text is cut inside them.
  if (sizeOf(head) + sizeOf(tail) < room / 2) return clipCharacters(text, size, room, name);
  const left = size - sizeOf(head) - sizeOf(tail);
  const gap = name({ lines: lines.length - head.length - tail.length, bytes: left, from: head.length });
  return [...head, gap, ...tail].join("\n");
}

/** The first of `lines` that fit into `maxBytes` with their line breaks. */
export function linesWithin(lines: readonly string[], maxBytes: number): string[] {
  let used = 0;
  const end = lines.findIndex((line) => {
    used += byteLength(line) + 1;
    return used > maxBytes;
  });
  return lines.slice(0, end < 0 ? lines.length : end);
}

function clipCharacters(text: string, size: number, room: number, name: (gap: Gap) => string): string {
  const bytes = new TextEncoder().encode(text);
  const headBytes = Math.max(0, Math.floor(room * headShare));
  const tailBytes = Math.max(0, room - headBytes);
  // A character cut in half decodes to U+FFFD at the cut; it goes with the part that is missing.
  const head = decode(bytes.subarray(0, headBytes)).replace(/\uFFFD+$/, "");
  const tail = decode(bytes.subarray(size - tailBytes)).replace(/^\uFFFD+/, "");
  const from = head.split("\n").length - 1;
  const lines = text.slice(head.length, text.length - tail.length).split("\n").length;
  return `${head}\n${name({ lines, bytes: size - headBytes - tailBytes, from })}\n${tail}`;
}

function nameGap({ lines, bytes }: Gap): string {
  return `[… ${bytes} bytes (${lines} ${lines === 1 ? "line" : "lines"}) cut …]`;
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + byteLength(line) + 1, 0);
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function decode(bytes: Uint8Array): string {
  // A BOM is text here as anything else is.
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
