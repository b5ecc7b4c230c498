// What a page adds to the lines of a diff.
import type { ComponentChildren } from "preact";
import type { DiffLine } from "./parse-diff.ts";

/** What a caller adds to the lines of a file. Without it, the lines can only be read. */
export interface LineTools {
  wrap: boolean;
  /** Shows old and new side by side, with long lines wrapped. */
  split: boolean;
  /** The number of lines that are shown before the person asks for the rest. */
  maxLines: number;
  onLine(line: DiffLine): void;
  /** Drawn below a line. */
  below(line: DiffLine): ComponentChildren;
  /** Drawn above a hunk; `number` counts from 1. */
  above(number: number): ComponentChildren;
}
