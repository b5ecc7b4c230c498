// Turns the texts of a plan into lines and back: normal forms, indentation, escapes. It does not know sections.
import { wellFormed } from "./scalars.ts";

const lineBreak = /\r\n|[\n\r\u2028\u2029]/;

export function splitLines(text: string): string[] {
  return text.split(lineBreak);
}

/** `text` on one line, trimmed; line breaks and the space around them become one space. */
export function oneLine(text: string): string {
  return trimmedLines(text).join(" ");
}

/** `text` on at most `max` lines, trimmed and without blank ones; further lines are joined to the last one. */
export function fewLines(text: string, max: number): string {
  const lines = trimmedLines(text);
  return [...lines.slice(0, max - 1), lines.slice(max - 1).join(" ")]
    .filter((line) => line !== "")
    .join("\n");
}

/**
 * A shell command in normal form: its lines keep their indentation; trailing space and blank lines at its edges are
 * removed.
 */
export function commandText(text: string): string {
  return splitLines(wellFormed(text))
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}

/** An id without white space and brackets, so that it can be written as `[id]`. The result may be empty. */
export function plainId(text: string): string {
  return wellFormed(text).trim().replace(/\s+/g, "-").replace(/[[\]]/g, "");
}

/** The first free id of the form `PREFIXn`, with n at least `from`. */
export function freeId(prefix: string, taken: ReadonlySet<string>, from = 1): string {
  let number = from;
  while (taken.has(`${prefix}${number}`)) number += 1;
  return `${prefix}${number}`;
}

/** The width of a line's leading white space; a tab counts as four columns. */
export function indentOf(line: string): number {
  let columns = 0;
  for (const char of line) {
    if (char === " ") columns += 1;
    else if (char === "\t") columns += 4;
    else break;
  }
  return columns;
}

/** `line` without `columns` leading spaces, or without all leading white space if it has fewer spaces. */
export function outdent(line: string, columns: number): string {
  return line.startsWith(" ".repeat(columns)) ? line.slice(columns) : line.trimStart();
}

/**
 * Puts a backslash before a text that would be read as `mark`. Other texts do not change, so reading it back is exact.
 */
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

/** Thrown only inside the plan parser; `parsePlan` turns it into data. */
export class LineProblem extends Error {
  readonly line: number;

  constructor(line: number, problem: string) {
    super(problem);
    this.line = line;
  }
}

/** The content of a Markdown document that a text contains in a fence; "" if there is none. */
export function markdownBlock(text: string): string {
  return (
    /^(`{3,})(?:markdown|md|xml)[^\S\n]*\n([\s\S]*)\n\1\s*$/m.exec(splitLines(text).join("\n"))?.[2] ?? ""
  );
}
