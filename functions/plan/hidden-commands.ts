// A plan that is to run must show whole, and its text must say what its parts say: the hash is that of the text.
import { HandrailError } from "../../shared/errors.ts";
import { hiddenCommandProblem, planCommandsOf } from "../../shared/plan/plan-commands.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { markdownPlan } from "../../shared/plan/set-plan.ts";

/** Whether a command of the plan does not show whole. Plans of before this was refused may have one. */
export function hides(plan: Plan | null): boolean {
  return plan !== null && hiddenCommandProblem(planCommandsOf(plan)) !== undefined;
}

/**
 * Throws `invalid_request` where the person cannot have seen all that approving `plan` would run: something hides in a
 * command, or the commands of its parts, which run, are not those of its text, which the hash covers.
 */
export function checkSeen(plan: Plan): void {
  const commands = planCommandsOf(plan);
  const hidden = hiddenCommandProblem(commands);
  if (hidden !== undefined) throw invalid("plan", `${hidden}. Edit the plan, or reject it`);
  const read = markdownPlan(plan.markdown);
  const said = read.ok ? planCommandsOf(read.body).map(({ command }) => command) : [];
  const run = commands.map(({ command }) => command);
  if (JSON.stringify(said) !== JSON.stringify(run))
    throw invalid(
      "plan.steps",
      "their checks are not those of plan.markdown, which was approved. Ask for the plan again",
    );
}

function invalid(field: string, problem: string): HandrailError {
  return new HandrailError("invalid_request", `${field}: ${problem}.`, { details: { field } });
}
