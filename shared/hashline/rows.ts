// Rows in the form that models read (PROTOCOL 5): `42foo|text`, the header above them, and references such as `42foo`.
import { anchorIn, isAnchorWord } from "./anchor.ts";

const byteOrderMark = 0xfeff;
const carriageReturn = 0x0d;

/** Longer lines are clipped. This is about 600 tokens, more than people write on one line. UTF-16 units. */
export const defaultMaxLineChars = 2_000;

/** The end of a clipped row. A payload that contains it would write this mark in place of the unseen text. */
const clipMark = /… \[clipped: \d+ of \d+ characters shown\]\s*$/;

export interface RowOptions {
  /** First and last line, from 1, both included. Default: the whole text. */
  start?: number;
  end?: number;
  maxRows?: number;
  /** Limit of `rows` in UTF-16 units; at least one row is shown. */
  maxChars?: number;
  maxLineChars?: number;
}

/** `start` and `end` are the lines that are actually shown; `end = start - 1` if there are none. */
export interface Rows {
  rows: string;
  start: number;
  end: number;
  total: number;
  /** Some of the requested rows are missing because of a limit. A clipped line alone does not count. */
  truncated: boolean;
}

/**
 * The rows of a text, within the limits, separated by LF. A final newline and a BOM make no row. Lines are hashed in
 * place and rows are appended without building a list of lines, so 10,000 lines take 1 ms.
 */
export function renderRows(text: string, options: RowOptions = {}): Rows {
  const start = Math.max(1, options.start ?? 1);
  const wanted = options.end ?? Number.POSITIVE_INFINITY;
  const last = Math.min(wanted, start - 1 + (options.maxRows ?? Number.POSITIVE_INFINITY));
  const maxChars = options.maxChars ?? Number.POSITIVE_INFINITY;
  let rows = "";
  let total = 0;
  let end = start - 1;
  let full = false;
  for (let from = text.charCodeAt(0) === byteOrderMark ? 1 : 0; from < text.length; ) {
    const newline = text.indexOf("\n", from);
    const to = newline < 0 ? text.length : newline;
    total += 1;
    if (total >= start && total <= last && !full) {
      const row = rowIn(text, from, to, total, options.maxLineChars);
      full = end >= start && rows.length + 1 + row.length > maxChars;
      if (!full) {
        rows += end < start ? row : `\n${row}`;
        end = total;
      }
    }
    from = to + 1;
  }
  return { rows, start, end, total, truncated: end < Math.min(wanted, total) };
}

/**
 * The row of one line (from 1). The anchor is computed from the whole line even if it is clipped; a CR at its end is
 * not shown.
 */
export function rowOf(lineNumber: number, line: string, maxLineChars = defaultMaxLineChars): string {
  return rowIn(line, 0, line.length, lineNumber, maxLineChars);
}

function rowIn(
  text: string,
  from: number,
  to: number,
  lineNumber: number,
  maxLineChars = defaultMaxLineChars,
): string {
  const end = to > from && text.charCodeAt(to - 1) === carriageReturn ? to - 1 : to;
  const prefix = `${lineNumber}${anchorIn(text, from, to)}|`;
  return end - from <= maxLineChars
    ? prefix + text.slice(from, end)
    : prefix + clip(text.slice(from, end), maxLineChars);
}

/** How many characters of a line its row shows; the line's length if it is shown in full. */
export function shownChars(line: string, maxLineChars = defaultMaxLineChars): number {
  if (line.length <= maxLineChars) return line.length;
  const code = line.charCodeAt(maxLineChars - 1);
  return code >= 0xd800 && code <= 0xdbff ? maxLineChars - 1 : maxLineChars;
}

export function holdsClipMark(line: string): boolean {
  return clipMark.test(line);
}

/** The shown form of a line that is longer than `maxLineChars`. */
export function clip(line: string, maxLineChars: number): string {
  const shown = shownChars(line, maxLineChars);
  return `${line.slice(0, shown)}… [clipped: ${shown} of ${line.length} characters shown]`;
}

/** The line above the rows of a file: `[PATH @VERSION lines A-B of N]`. */
export function renderHeader(
  path: string,
  version: string,
  start: number,
  end: number,
  total: number,
): string {
  return `[${path} @${version} lines ${start}-${end} of ${total}]`;
}

export interface Reference {
  line: number;
  anchor: string;
}

// Search results put `>` before a row that matches.
const reference = /^\s*>?(\d{1,9})([a-z]{3})(?:\|.*)?$/s;

/** Parses `42foo`, or a whole row whose text is ignored, into line and anchor; null if it is neither. */
export function parseReference(text: string): Reference | null {
  const match = reference.exec(text.trimEnd());
  return match?.[1] && match[2] ? { line: Number(match[1]), anchor: match[2] } : null;
}

export interface ParsedRow extends Reference {
  text: string;
}

const row = /^>?([1-9]\d{0,8})([a-z]{3})\|(.*)$/s;

/** Parses a row into line, anchor and text; null if the line does not look like a row with a known anchor word. */
export function parseRow(line: string): ParsedRow | null {
  const match = row.exec(line);
  if (!match?.[1] || !match[2] || match[3] === undefined || !isAnchorWord(match[2])) return null;
  return { line: Number(match[1]), anchor: match[2], text: match[3] };
}
