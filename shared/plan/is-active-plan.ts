// The predicates on a plan's status.
import type { Plan, PlanStatus } from "./plan-file.ts";

type OverStatus = Extract<PlanStatus, "done" | "abandoned">;
type ActivePlan = Plan & { status: Exclude<PlanStatus, OverStatus> };

/** Whether there is a plan that is neither done nor abandoned. */
export function isActivePlan(plan: Plan | null): plan is ActivePlan {
  return plan !== null && !isOverStatus(plan.status);
}

/** `status`: of a plan, perhaps an unparsed one. */
export function isOverStatus(status: unknown): status is OverStatus {
  return status === "done" || status === "abandoned";
}

/** Approved by a person and not over. `status` as for `isOverStatus`. */
export function isUnderWay(status: unknown): status is Extract<PlanStatus, "approved" | "executing"> {
  return status === "approved" || status === "executing";
}
