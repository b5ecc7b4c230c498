// A plan's text as a person edited it: in our own form, or else as any plan is read.
import { planCommandsOf } from "./plan-commands.ts";
import type { Plan } from "./plan-file.ts";
import { markdownPlan, type PlanText } from "./set-plan.ts";
import { writtenPlan } from "./written-plan.ts";

/** A step in our form that has no words yet: left out, it would be gone without a word. */
const wordless = /^\s*\d+\.\s*\[[^\]\n]*\]\s*$/m;

/**
 * Steps without an id get none that `plan` has, unless they say what one of its steps says. A line that our form does not
 * know is no problem where steps are found all the same; it is one where a command of `plan`, which the text still has,
 * would run no more because of it.
 */
export function editedPlan(markdown: string, plan: Plan): PlanText {
  const own = markdownPlan(
    markdown,
    plan.steps.map((step) => step.id),
  );
  if (own.ok ? own.body.steps.length > 0 : own.hides || wordless.test(markdown)) return own;
  const read = writtenPlan(markdown, { plan, goal: plan.goal });
  return read.ok && read.body.steps.length > 0 && keepsCommands(markdown, plan, read.body) ? read : own;
}

type Commands = Parameters<typeof planCommandsOf>[0];

function keepsCommands(markdown: string, before: Commands, after: Commands): boolean {
  const kept = new Set(planCommandsOf(after).map(({ command }) => command));
  return planCommandsOf(before).every(
    ({ command }) => kept.has(command) || !markdown.includes(command.split("\n", 1)[0] ?? ""),
  );
}
