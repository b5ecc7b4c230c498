// The one answer to whether a plan still counts.
import type { Plan } from "./plan-file.ts";

/** Whether there is a plan that is neither done nor abandoned. */
export function isActivePlan(plan: Plan | null): plan is Plan {
  return plan !== null && plan.status !== "done" && plan.status !== "abandoned";
}
