// Replaces whole lines of a text, and takes care of the line ends of new lines, the BOM and the final newline. It
// checks nothing.
import { joinText, type TextLines, usesCrLf, withoutCr } from "./text.ts";

/** Replaces `remove` lines at `at` (from 0) with `lines`, which carry no line ends. */
export interface Splice {
  at: number;
  remove: number;
  lines: readonly string[];
}

/** Changed lines in the new text, from 0, `to` excluded; `from === to` if lines were only removed. */
export interface Region {
  from: number;
  to: number;
}

/** `head`: how many lines at the head of the payload existed already; they are above the region. */
export interface SplicedRegion extends Region {
  head: number;
}

export interface Spliced {
  lines: TextLines;
  /** `lines` joined. */
  text: string;
  /** One for each splice; null if it changed nothing. */
  regions: (SplicedRegion | null)[];
}

/** Old lines `from` to `to` (excluded) that were kept; they begin at line `at` of the new text. */
interface KeptRegion extends Region {
  at: number;
}

/**
 * `old` is `oldText` split into lines; `splices` are in ascending order and do not overlap. Lines that a payload
 * repeats unchanged keep their bytes.
 */
export function spliceText(oldText: string, old: TextLines, splices: readonly Splice[]): Spliced {
  const lines: string[] = [];
  const kept: KeptRegion[] = [];
  const regions: (SplicedRegion | null)[] = [];
  const last = old.lines.length - 1;
  let copied = 0;
  let lastKept = -1;
  let lastCopied = -1;
  const copyTo = (end: number): void => {
    kept.push({ from: copied, to: end, at: lines.length });
    for (; copied < end; copied += 1) {
      if (copied === last) lastKept = lines.length;
      lastCopied = lines.length;
      lines.push(old.lines[copied] ?? "");
    }
  };
  for (const splice of splices) {
    const { head, tail } = repeated(old, splice);
    copyTo(splice.at + head);
    const from = lines.length;
    const removed = splice.remove - head - tail;
    for (let index = head; index < splice.lines.length - tail; index += 1) {
      const line = splice.lines[index] ?? "";
      lines.push(takesCrLf(old, copied, removed, index - head) ? `${withoutCr(line)}\r` : line);
    }
    regions.push(removed === 0 && lines.length === from ? null : { from, to: lines.length, head });
    copied += removed;
  }
  copyTo(last + 1);
  const now = endText(old, lines, lastKept, lastCopied);
  return { lines: now, text: old.finalNewline ? joinKept(oldText, old, now, kept) : joinText(now), regions };
}

/**
 * Like `joinText` of a text whose lines are all terminated, but copies unchanged parts from the old text in long
 * pieces.
 */
function joinKept(oldText: string, old: TextLines, now: TextLines, kept: readonly KeptRegion[]): string {
  let text = now.bom ? "\uFEFF" : "";
  let [offset, line, next] = [old.bom ? 1 : 0, 0, 0];
  for (const { from, to, at } of kept) {
    for (; next < at; next += 1) text += `${now.lines[next] ?? ""}\n`;
    for (; line < from; line += 1) offset += (old.lines[line] ?? "").length + 1;
    const start = offset;
    for (; line < to; line += 1) offset += (old.lines[line] ?? "").length + 1;
    text += oldText.slice(start, offset);
    next += to - from;
  }
  return text;
}

/** How many lines at the head and at the tail of a payload are equal to the lines that they replace. */
function repeated(old: TextLines, { at, remove, lines }: Splice): { head: number; tail: number } {
  const same = (before: string | undefined, after: string | undefined): boolean =>
    before === after || (before !== undefined && before === `${withoutCr(after ?? "")}\r`);
  const most = Math.min(remove, lines.length);
  let head = 0;
  while (head < most && same(old.lines[at + head], lines[head])) head += 1;
  let tail = 0;
  while (tail < most - head && same(old.lines[at + remove - 1 - tail], lines[lines.length - 1 - tail])) {
    tail += 1;
  }
  return { head, tail };
}

/**
 * Whether a new line ends with CRLF: it ends like the line that it replaces; an inserted line ends like the line above
 * it, or, at the top, like the line below.
 */
function takesCrLf(old: TextLines, at: number, removed: number, index: number): boolean {
  if (removed > 0) return usesCrLf(old, at + Math.min(index, removed - 1));
  return usesCrLf(old, at > 0 ? at - 1 : 0);
}

/** Adds or removes the last line end, so that the text has a final newline exactly if it had one before. */
function endText(old: TextLines, lines: string[], lastKept: number, lastCopied: number): TextLines {
  const { bom, finalNewline } = old;
  if (finalNewline || lines.length === 0)
    return { bom, lines, finalNewline: finalNewline && lines.length > 0 };
  if (old.lines.length === 0) return { bom, lines, finalNewline: true };
  const end = lines.length - 1;
  if (lastKept >= 0 && lastKept < end && usesCrLf(old, old.lines.length - 1)) {
    // The old last line had no line end. Lines follow it now, so it gets the line end of its neighbours.
    lines[lastKept] = `${withoutCr(lines[lastKept] ?? "")}\r`;
  }
  if (lastKept !== end) lines[end] = withoutCr(lines[end] ?? "");
  if (lines[end] !== "") return { bom, lines, finalNewline };
  // Without a final newline, an empty last line does not exist: if it is an old line it gets one; if it is new, it only
  // ends the line above.
  if (lastCopied !== end) lines.pop();
  return { bom, lines, finalNewline: lines.length > 0 };
}
