// Reads a plan's text after a person edited it: in our own form if possible, otherwise like any other plan.
import { planCommandsOf } from "./plan-commands.ts";
import type { Plan } from "./plan-file.ts";
import { markdownPlan, type PlanText } from "./set-plan.ts";
import { writtenPlan } from "./written-plan.ts";

/** A step in our form without words. It must be reported: dropping it would remove the step silently. */
const wordless = /^\s*\d+\.\s*\[[^\]\n]*\]\s*$/m;

/**
 * A step without an id gets an id of a step in `plan` only if both say the same. Lines that are not in our form are
 * accepted if steps are found anyway. They are a problem only if the text still contains a command of `plan` that would
 * no longer run because of them.
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
