// Checks before a plan may run or be sent: nothing in it is hidden, its text and its parts agree, and it is small enough.
import { HandrailError, invalidField } from "../../shared/errors.ts";
import { planBlock } from "../../shared/plan/blocks.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import { hiddenCommandProblem, planCommandsOf } from "../../shared/plan/plan-commands.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { markdownPlan } from "../../shared/plan/set-plan.ts";
import { estimateText } from "../context/estimate.ts";

/** Whether part of a command is invisible on a screen. Plans made before this was refused may have one. */
export function hidesCommand(plan: Plan | null): boolean {
  return plan !== null && hiddenCommandProblem(planCommandsOf(plan)) !== undefined;
}

/**
 * Throws `invalid_request` if the person cannot have seen all that approving `plan` would run: part of a command is
 * invisible, or the commands of its parts, which run, differ from those of its text, which the hash covers.
 */
export function checkSeen(plan: Plan): void {
  const commands = planCommandsOf(plan);
  const hidden = hiddenCommandProblem(commands);
  if (hidden !== undefined) throw invalidField("plan", `${hidden}. Edit the plan, or reject it`);
  const read = markdownPlan(plan.markdown);
  const said = read.ok ? planCommandsOf(read.body).map(({ command }) => command) : [];
  const run = commands.map(({ command }) => command);
  if (JSON.stringify(said) !== JSON.stringify(run))
    throw invalidField(
      "plan.steps",
      "their checks are not those of plan.markdown, which was approved. Ask for the plan again",
    );
}

/**
 * The version and hash of an approval name the plan before an edit by hand that comes in the same request, and the
 * edited text is what is approved. Throws `stale_plan` if the approval names another text than the one that would run.
 */
export function checkApproved(approved: string | undefined, posted: string): void {
  if (approved === undefined || approved === posted) return;
  throw new HandrailError(
    "stale_plan",
    "The text that was approved is not the text of the plan that was sent. Look at the plan and approve it again.",
    { details: { field: "input.planText" } },
  );
}

/** Throws `too_large` if the active plan alone exceeds a request. `room`: estimated tokens. */
export function checkPlanFits(plan: Plan | null, room: number): void {
  if (!isActivePlan(plan)) return;
  const tokens = estimateText(planBlock(plan.version, plan.markdown));
  if (tokens <= room) return;
  throw new HandrailError(
    "too_large",
    `plan.markdown: the plan takes about ${tokens} tokens and this model has room for about ${room}. Shorten the plan, or choose a model with a larger window.`,
    { details: { field: "plan.markdown" } },
  );
}
