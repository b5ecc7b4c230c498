// What a page adds to the lines of a diff that it shows.
import type { ComponentChildren } from "preact";
import type { DiffLine } from "./parse-diff.ts";

/** What a caller adds to the lines of a file: nothing if it only shows them. */
export interface LineTools {
  wrap: boolean;
  /** Old and new side by side; long lines are wrapped then. */
  split: boolean;
  /** Lines shown before the rest is asked for. */
  maxLines: number;
  onLine(line: DiffLine): void;
  /** Shown below a line. */
  below(line: DiffLine): ComponentChildren;
  /** Shown above a hunk; `number` from 1. */
  above(number: number): ComponentChildren;
}
