// Decides whether a text that a model wrote next to its plan only repeats the plan in fewer or other words.
import type { Plan, PlanBody, Step } from "./plan-file.ts";

/** Words that do not change what a step does. Words that reverse its meaning (not, without, instead) are not listed. */
const fillWords = new Set(
  "a an the of to in on for with and or as at by from into is are be it its this that then so will we i you step plan above below see set version submitted ready review please approve approval here summary goal steps done next first last all also".split(
    " ",
  ),
);

/**
 * Whether `text` only repeats `plan`: it has as many steps, every word of a step is in the plan's step with the same
 * number, and every command is in the plan. A text without steps repeats a plan if it contains no new word.
 */
export function restates(text: PlanBody, plan: Plan, words: string): boolean {
  if (text.steps.length === 0) return contains(wordsOfPlan(plan), wordsOf(words));
  const commands = new Set(commandsOf(plan));
  return (
    text.steps.length === plan.steps.length &&
    commandsOf(text).every((command) => commands.has(command)) &&
    text.steps.every((step, index) => {
      const same = plan.steps[index];
      return same !== undefined && contains(wordsOfStep(same), wordsOfStep(step));
    })
  );
}

type StepContent = Pick<Step, "description" | "actions" | "preconditions" | "postconditions" | "checkpoint">;

function wordsOfStep(step: StepContent): Set<string> {
  const { description, actions, preconditions, postconditions, checkpoint } = step;
  return wordsOf(
    [description, ...actions, ...preconditions, ...postconditions, checkpoint?.command ?? ""].join(" "),
  );
}

function wordsOfPlan(plan: Plan): Set<string> {
  return wordsOf(plan.markdown);
}

/** The words of a text. Numbers, paths and names are split: `src/app.ts` becomes src, app and ts. */
function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !fillWords.has(word)));
}

function contains(all: ReadonlySet<string>, some: ReadonlySet<string>): boolean {
  return [...some].every((word) => all.has(word) || (word.endsWith("s") && all.has(word.slice(0, -1))));
}

function commandsOf({ steps, checkpoints }: Pick<PlanBody, "steps" | "checkpoints">): string[] {
  return [
    ...steps.flatMap(({ checkpoint }) => (checkpoint === null ? [] : [checkpoint.command])),
    ...checkpoints.flatMap((check) => (typeof check === "string" ? [] : [check.command])),
  ];
}
