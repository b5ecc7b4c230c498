// Whether a step is nothing but its check, so that the engine can run it without the model. In doubt it is not.
import type { Step } from "./plan-file.ts";

const lead = /^\s*(?:re-?run|run|execute|check|verify|confirm|validate|ensure|make sure)\b/i;

/** Words that name no work besides running a check. */
const checkWords = new Set(
  "a again all an and are build builds check checks command compile compiles complete confirm entire ensure everything execute existing final finally full green has have is it it's lint linter make of once pass passes passing project rerun result run runs still succeed succeeds suite suites sure test tests that the then to type typecheck types unit validate verify whole with works".split(
    " ",
  ),
);

/**
 * `Run the whole test suite`, ``Check that `npm test` passes``: the words say nothing beside the check, and no action but
 * the check's own command is listed.
 */
export function isOnlyCheck({ description, actions, checkpoint }: Step): boolean {
  if (!checkpoint || !lead.test(description)) return false;
  const { command } = checkpoint;
  const texts = [description, ...actions].map((text) => text.replaceAll(command, " "));
  return texts.every((text) =>
    (text.toLowerCase().match(/[\p{L}\p{N}'_-]+/gu) ?? []).every((word) => checkWords.has(word)),
  );
}
