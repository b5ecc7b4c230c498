// Whether the plan is the person's to decide on before it may begin: it was written or changed while planning, and they
// have not approved it since. A plan that the model began itself outside plan mode needs no approval.
import type { Message } from "../../shared/message.ts";
import type { Plan, PlanBody } from "../../shared/plan/plan-file.ts";
import { isOtherPlan } from "../../shared/plan/set-plan.ts";
import { beginsPlan, isEventOf } from "../../shared/session/history.ts";
import { isApproval } from "../calls/was-approved.ts";

/** A plan that is under way was approved or begun, and one that is over does not begin. */
export function awaitsApproval(plan: Plan | null, history: readonly Message[]): boolean {
  if (plan?.status === "proposed") return true;
  return plan?.status === "draft" && wasPlanned(history);
}

/** Whether `history` ends with a plan, or a change of one, that was made in plan mode and not approved. */
function wasPlanned(history: readonly Message[]): boolean {
  let planned = false;
  let before: PlanBody | undefined;
  for (const message of history) {
    if (message.role === "plan") {
      const { plan } = message.extra;
      // A version that goes on from a plan that awaits the person awaits them too: else a word more would begin it.
      const other = beginsPlan(message) || before === undefined || isOtherPlan(before, plan);
      planned = message.mode === "plan" || (planned && !other);
      before = plan;
    } else if (isEventOf(message, "plan_delta")) planned ||= message.mode === "plan";
    else if ("rejects" in message) planned = true;
    else if (isApproval(message)) planned = false;
  }
  return planned;
}

/** Why no report of it is taken, and what the model can do. */
export function awaitsText({ version }: Pick<Plan, "version">): string {
  return `the person has not approved this plan (version ${version}), so it has not begun. Do not work on it: they approve it on its card, or in plan mode. Do what their message asks; if that needs a plan of its own, call set_plan with it`;
}
