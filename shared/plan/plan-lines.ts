// How texts of a plan become lines and back: normal forms, indentation, escapes. Knows no section.
import { wellFormed } from "./scalars.ts";

const lineBreak = /\r\n|[\n\r\u2028\u2029]/;

export function splitLines(text: string): string[] {
  return text.split(lineBreak);
}

/** `text` on one line, trimmed; line breaks and the space around them become one space. */
export function oneLine(text: string): string {
  return trimmedLines(text).join(" ");
}

/** `text` on at most `max` lines, each trimmed and not blank; further lines are joined to the last one. */
export function fewLines(text: string, max: number): string {
  const lines = trimmedLines(text);
  return [...lines.slice(0, max - 1), lines.slice(max - 1).join(" ")]
    .filter((line) => line !== "")
    .join("\n");
}

/** A shell command in normal form: its lines and their indentation stay, blank edges and trailing space go. */
export function commandText(text: string): string {
  return splitLines(wellFormed(text))
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}

/** An id without white space and brackets, so that it can be written as `[id]`; may come out empty. */
export function plainId(text: string): string {
  return wellFormed(text).trim().replace(/\s+/g, "-").replace(/[[\]]/g, "");
}

/** The lowest `PREFIXn` from `from` on that is not taken. */
export function freeId(prefix: string, taken: ReadonlySet<string>, from = 1): string {
  let number = from;
  while (taken.has(`${prefix}${number}`)) number += 1;
  return `${prefix}${number}`;
}

/** Columns before the first character that is not a space or tab; a tab counts four. */
export function indentOf(line: string): number {
  let columns = 0;
  for (const char of line) {
    if (char === " ") columns += 1;
    else if (char === "\t") columns += 4;
    else break;
  }
  return columns;
}

/** `line` without `columns` leading spaces; without all leading space when it has fewer than that as spaces. */
export function outdent(line: string, columns: number): string {
  return line.startsWith(" ".repeat(columns)) ? line.slice(columns) : line.trimStart();
}

/** A backslash before a text that would be read as `mark`. Only such texts change, so reading it back is exact. */
export function escapeMark(text: string, mark: RegExp): string {
  return mark.test(withoutBackslashes(text)) ? `\\${text}` : text;
}

export function unescapeMark(text: string, mark: RegExp): string {
  return text.startsWith("\\") && mark.test(withoutBackslashes(text)) ? text.slice(1) : text;
}

function withoutBackslashes(text: string): string {
  return text.replace(/^\\+/, "");
}

function trimmedLines(text: string): string[] {
  return splitLines(wellFormed(text))
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** One line of a text that is being parsed; `number` counts from 1. */
export interface SourceLine {
  text: string;
  number: number;
}

/** Thrown inside the plan parser only; `parsePlan` turns it into data. */
export class LineProblem extends Error {
  readonly line: number;

  constructor(line: number, problem: string) {
    super(problem);
    this.line = line;
  }
}

/** The markdown of a text that shows a document in a fence; "" where it shows none. */
export function markdownBlock(text: string): string {
  return (
    /^(`{3,})(?:markdown|md|xml)[^\S\n]*\n([\s\S]*)\n\1\s*$/m.exec(splitLines(text).join("\n"))?.[2] ?? ""
  );
}
