// Finds where `replace_text` matches: exact occurrences in a text, with their lines. No fuzzy matching.

/**
 * Lines joined by LF (CR left out), with the offset of each line. The `old` and `new` of replace_text have this form.
 */
export interface FlatText {
  text: string;
  /** The offset of each line, followed by the end of the text. */
  starts: number[];
}

/** An occurrence, from offset `start` to `end` (excluded), on lines `from` to `to` (excluded). */
export interface Occurrence {
  start: number;
  end: number;
  from: number;
  to: number;
}

export function flatten(lines: readonly string[], finalNewline: boolean): FlatText {
  const starts: number[] = [];
  let offset = 0;
  for (const line of lines) {
    starts.push(offset);
    offset += line.length + 1;
  }
  starts.push(offset);
  return { text: lines.join("\n") + (finalNewline ? "\n" : ""), starts };
}

/** Every occurrence, including overlapping ones unless `apart`; at most `limit`. `needle` must not be empty. */
export function occurrences(
  flat: FlatText,
  needle: string,
  apart: boolean,
  limit = Number.POSITIVE_INFINITY,
): Occurrence[] {
  const found: Occurrence[] = [];
  let at = flat.text.indexOf(needle);
  while (at >= 0 && found.length < limit) {
    const end = at + needle.length;
    found.push({ start: at, end, from: lineAt(flat, at), to: lineAt(flat, end - 1) + 1 });
    at = flat.text.indexOf(needle, apart ? end : at + 1);
  }
  return found;
}

/** The line (from 0) that contains the character at `offset`; an LF belongs to the line that it ends. */
function lineAt(flat: FlatText, offset: number): number {
  let low = 0;
  let high = flat.starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((flat.starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
