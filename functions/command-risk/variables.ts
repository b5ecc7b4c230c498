// Replaces variables in a word with what the same line assigns to them.

import type { Word } from "./shell-word.ts";
import type { SimpleCommand } from "./simple-command.ts";

/** A template without `-t` would be a name in the command's folder. */
const makesTemporary = /^\s*mktemp(\s+-[dq]+)*(\s+-[dq]*t(\s+[\w.-]+)?)?\s*$/;

/** How many steps from one variable to the next are followed; longer chains count as unknown. */
const maxSteps = 4;

/**
 * The words that `word` may become; `word` itself if nothing is known. Only a variable at its start is replaced
 * (`$OUT/log`); `$(mktemp)` becomes a file in /tmp.
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

/** Assignments of the variables that contain a temporary folder, to be put before a script that runs later. */
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
