// Ranges of lines as a model writes and reads them: `1-80, 200-260, 900-`.
import type { LineRange } from "../../shared/sandbox.ts";

/** Undefined if the text is no list of ranges. */
export function parseRanges(text: string): LineRange[] | undefined {
  const ranges: LineRange[] = [];
  for (const part of text.replace(/\blines?\b/gi, "").split(",")) {
    const match = /^\s*(\d{1,9})(?:\s*(?:-|–|\.\.|to|:)\s*(\d{1,9})?)?\s*$/.exec(part);
    const start = Number(match?.[1]);
    if (!match || !(start > 0)) return undefined;
    const isOpen = match[2] === undefined && /\D\s*$/.test(part.trim());
    ranges.push(isOpen ? { start } : { start, end: Number(match[2] ?? start) });
  }
  return ranges;
}

export function rangesText(ranges: readonly LineRange[]): string {
  return ranges.map(({ start, end }) => (end === start ? `${start}` : `${start}-${end ?? ""}`)).join(", ");
}

/** Groups ascending line numbers into runs. */
export function runsOf(lines: readonly number[]): { start: number; end: number }[] {
  const runs: { start: number; end: number }[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last && line === last.end + 1) last.end = line;
    else runs.push({ start: line, end: line });
  }
  return runs;
}
