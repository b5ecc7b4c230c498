// What a word may be, given what the same line assigns to its variables.

import type { Word } from "./shell-word.ts";
import type { SimpleCommand } from "./simple-command.ts";

/** A template without `-t` would be a name in the folder that the command runs in. */
const makesTemporary = /^\s*mktemp(\s+-[dq]+)*(\s+-[dq]*t(\s+[\w.-]+)?)?\s*$/;

/** Values followed from one variable to the next; longer chains count as unknown. */
const maxSteps = 4;

/**
 * The words that `word` may be: itself if nothing is known. Only a variable at its start is followed (`$OUT/log`);
 * `$(mktemp)` is a file in /tmp.
 */
export function possibleWords(
  word: Word,
  { variables }: Pick<SimpleCommand, "variables">,
  steps = 0,
): Word[] {
  const [whole = "", name = ""] = /^\$(?:\{(?=\w+\}))?([A-Za-z_]\w*)\}?/.exec(word.text) ?? [];
  const values = variables.get(name);
  if (!word.unknown || !values || values.length === 0 || steps > maxSteps) return [word];
  const rest = word.text.slice(whole.length);
  return values.flatMap((value) => {
    if (value.scripts.length > 0) {
      const isTemporary = value.scripts.every((script) => makesTemporary.test(script));
      return isTemporary ? [{ ...value, text: `/tmp/x${rest}`, unknown: false }] : [word];
    }
    const next = { ...value, text: value.text + rest, unknown: value.unknown || rest.includes("$") };
    return possibleWords(next, { variables }, steps + 1);
  });
}

/** Assignments, as a line begins with them, of the variables that hold a temporary folder: for a script that runs later. */
export function temporaryFolders({ variables }: Pick<SimpleCommand, "variables">): string {
  const names = [...variables].filter(
    ([, values]) =>
      values.length > 0 &&
      values.every(
        ({ scripts }) => scripts.length > 0 && scripts.every((script) => makesTemporary.test(script)),
      ),
  );
  return names.map(([name]) => `${name}=$(mktemp -d); `).join("");
}
