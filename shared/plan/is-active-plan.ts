// The one predicate for a plan that still counts.
import type { Plan, PlanStatus } from "./plan-file.ts";

type ActivePlan = Plan & { status: Exclude<PlanStatus, "done" | "abandoned"> };

/** Whether there is a plan that is neither done nor abandoned. */
export function isActivePlan(plan: Plan | null): plan is ActivePlan {
  return plan !== null && plan.status !== "done" && plan.status !== "abandoned";
}
