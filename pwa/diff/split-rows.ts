// Puts a hunk into two columns, with removed lines beside their replacements. Pure.
import type { DiffHunk, DiffLine } from "./parse-diff.ts";

export interface SplitSide {
  line: DiffLine;
  /** The line's number in the file of that side. */
  number: number;
}

export interface SplitRow {
  old: SplitSide | undefined;
  new: SplitSide | undefined;
}

export function splitRows({ lines, shift }: DiffHunk): SplitRow[] {
  const rows: SplitRow[] = [];
  let ahead = shift;
  for (let at = 0; at < lines.length; ) {
    const removed = runOf(lines, at, "removed");
    const added = runOf(lines, at + removed.length, "added");
    for (let row = 0; row < Math.max(removed.length, added.length); row += 1)
      rows.push({ old: sideOf(removed[row]), new: sideOf(added[row]) });
    ahead += added.length - removed.length;
    at += removed.length + added.length;
    const line = lines[at];
    if (line?.kind !== "same") continue;
    rows.push({ old: { line, number: line.number - ahead }, new: sideOf(line) });
    at += 1;
  }
  return rows;
}

/** The lines of one kind, starting at `from`. */
export function runOf(lines: readonly DiffLine[], from: number, kind: DiffLine["kind"]): DiffLine[] {
  let end = from;
  while (lines[end]?.kind === kind) end += 1;
  return lines.slice(from, end);
}

function sideOf(line: DiffLine | undefined): SplitSide | undefined {
  return line && { line, number: line.number };
}
