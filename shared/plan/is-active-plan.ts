// Predicates on a plan's status.
import type { Plan, PlanStatus } from "./plan-file.ts";

type OverStatus = Extract<PlanStatus, "done" | "abandoned">;
type ActivePlan = Plan & { status: Exclude<PlanStatus, OverStatus> };

/** Whether there is a plan that is neither done nor abandoned. */
export function isActivePlan(plan: Plan | null): plan is ActivePlan {
  return plan !== null && !isOverStatus(plan.status);
}

/** Whether a plan has ended. `status` may come from a plan that has not been parsed. */
export function isOverStatus(status: unknown): status is OverStatus {
  return status === "done" || status === "abandoned";
}

/** Whether the plan was approved, or was begun without approval, and has not ended. `status` as in `isOverStatus`. */
export function isUnderWay(status: unknown): status is Extract<PlanStatus, "approved" | "executing"> {
  return status === "approved" || status === "executing";
}
