// A plan's text as a person edited it: in our own form, or, where it has none of that, as any plan is read.
import type { Plan } from "./plan-file.ts";
import { markdownPlan, type PlanText } from "./set-plan.ts";
import { writtenPlan } from "./written-plan.ts";

/** A step as our own form has it: whoever kept one wrote in that form, and is told the line that is wrong. */
const ownStep = /^\s*\d+\. \[[^\]\n]*\]/m;

/** Steps without an id get none that `plan` has, unless they say what one of its steps says. */
export function editedPlan(markdown: string, plan: Plan): PlanText {
  const own = markdownPlan(
    markdown,
    plan.steps.map((step) => step.id),
  );
  if (own.ok ? own.body.steps.length > 0 : own.hides || ownStep.test(markdown)) return own;
  const read = writtenPlan(markdown, { plan, goal: plan.goal });
  return read.ok && read.body.steps.length > 0 ? read : own;
}
