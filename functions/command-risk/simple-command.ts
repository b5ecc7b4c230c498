// One command of a line: its words, its input and its redirections.
import type { Word } from "./shell-word.ts";

export interface SimpleCommand {
  words: Word[];
  /** The files to or from which it is redirected. `replaces`: the file's contents are replaced. */
  redirects: { to: boolean; replaces: boolean; target: Word }[];
  /** The texts of its here-documents and here-strings. */
  input: string[];
  /** The command before the pipe from which it reads. */
  upstream: SimpleCommand | undefined;
  /** The values that the whole line assigns to each variable; an empty list for a loop whose words are unknown. */
  variables: ReadonlyMap<string, readonly Word[]>;
}

export function emptyCommand(upstream?: SimpleCommand): SimpleCommand {
  return { words: [], redirects: [], input: [], upstream, variables: new Map() };
}
