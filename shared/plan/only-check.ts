// Decides whether a step consists of its check alone, so that the engine can run it without the model. If in doubt, the
// answer is no.
import type { Step } from "./plan-file.ts";

const lead = /^\s*(?:re-?run|run|execute|check|verify|confirm|validate|ensure|make sure)\b/i;

/** Words that describe nothing but running a check. */
const checkWords = new Set(
  "a again all an and are build builds check checks clean command compile compiles complete confirm e2e end-to-end ensure entire errors everything execute existing final finally full gate gates green has have integration is it it's lint linter locally make no of once pass passes passing project quality regression rerun result run runs sanity smoke still succeed succeeds suite suites sure test testing tests that the then to type typecheck types unit validate validation verification verify whole with works".split(
    " ",
  ),
);

/** A shorter part of a command is ignored, because it may occur inside a word. */
const shortest = 3;

/**
 * True if the words say nothing beyond the check (`Run the whole test suite`, ``Check that `npm test` passes``) and
 * every listed action is the check's own command or a part of it. The words may name what the command names (`Run the
 * retry suite`). If the actions are that command, a title without a verb is enough (`Final verification`).
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
    // The last word says what is run: `Run the test generator` is not a check.
    (last === undefined || checkWords.has(last))
  );
}

/** The words of `text` in lower case, after `parts` are removed. */
function wordsOf(text: string, parts: readonly string[]): string[] {
  const rest = parts.reduce((left, part) => left.replaceAll(part, " "), text);
  return rest.toLowerCase().match(/[\p{L}\p{N}'_-]+/gu) ?? [];
}
