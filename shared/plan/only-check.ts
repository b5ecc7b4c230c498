// Whether a step is nothing but its check, so that the engine can run it without the model. In doubt it is not.
import type { Step } from "./plan-file.ts";

const lead = /^\s*(?:re-?run|run|execute|check|verify|confirm|validate|ensure|make sure)\b/i;

/** Words that name no work besides running a check. */
const checkWords = new Set(
  "a again all an and are build builds check checks clean command compile compiles complete confirm e2e end-to-end ensure entire errors everything execute existing final finally full gate gates green has have integration is it it's lint linter locally make no of once pass passes passing project quality regression rerun result run runs sanity smoke still succeed succeeds suite suites sure test testing tests that the then to type typecheck types unit validate validation verification verify whole with works".split(
    " ",
  ),
);

/** A part of a command that is no longer than this may be in the middle of a word. */
const shortest = 3;

/**
 * `Run the whole test suite`, ``Check that `npm test` passes``: the words say nothing beside the check, and no action
 * but the check's own command, or a part of it, is listed. What the command names may be said too (`Run the retry
 * suite`). If the actions are that command, a title without a verb will do (`Final verification`).
 */
export function isOnlyCheck({ description, actions, checkpoint }: Step): boolean {
  if (!checkpoint || !(actions.length > 0 || lead.test(description))) return false;
  const { command } = checkpoint;
  const parts = [command, ...command.split(/&&|\|\||[;|\n]/).map((part) => part.trim())].filter(
    (part) => part === command || part.length > shortest,
  );
  const [said = [], ...done] = [description, ...actions].map((text) => wordsOf(text, parts));
  if (!done.every((words) => words.every((word) => checkWords.has(word)))) return false;
  const named = new Set(wordsOf(command, []));
  const last = said.at(-1);
  return (
    said.every((word) => checkWords.has(word) || named.has(word)) &&
    // The last word says what is run: `Run the test generator` is no check.
    (last === undefined || checkWords.has(last))
  );
}

/** The words of `text` in lower case, without `parts`. */
function wordsOf(text: string, parts: readonly string[]): string[] {
  const rest = parts.reduce((left, part) => left.replaceAll(part, " "), text);
  return rest.toLowerCase().match(/[\p{L}\p{N}'_-]+/gu) ?? [];
}
