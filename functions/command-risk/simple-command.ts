// One command of a line: its words, and what it reads and writes.
import type { Word } from "./shell-word.ts";

export interface SimpleCommand {
  words: Word[];
  /** Files that it is redirected to or from. */
  redirects: { to: boolean /** Its contents are replaced. */; replaces: boolean; target: Word }[];
  /** Texts of its here-documents and here-strings. */
  input: string[];
  /** What comes before the pipe that it reads from. */
  upstream: SimpleCommand | undefined;
  /** What the whole line assigns to each variable; empty for a loop's own words that are not known. */
  variables: ReadonlyMap<string, readonly Word[]>;
}

export function emptyCommand(upstream?: SimpleCommand): SimpleCommand {
  return { words: [], redirects: [], input: [], upstream, variables: new Map() };
}
