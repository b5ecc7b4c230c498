// A plan for tests of plan changes.
import type { Plan, Step } from "../../../shared/plan/plan-file.ts";
import { installPlan } from "../../../shared/plan/set-plan.ts";
import { planText } from "../../../shared/plan/written-plan.ts";

/**
 * Version 1 of a plan with steps s1 to s3. `patch` overrides its fields, `steps` those of its steps by id.
 */
export function makePlan(patch: Partial<Plan> = {}, steps: Record<string, Partial<Step>> = {}): Plan {
  const text = planText({
    goal: "Add a login",
    steps: ["Write the test", { description: "Write the route", checkpoint: "npm test" }, "Document it"],
    rollback: ["git restore ."],
  });
  if (!text.ok) throw new Error(text.problem);
  const plan = installPlan(null, { ...text, hash: "hash-1", source: "model" });
  return {
    ...plan,
    ...patch,
    steps: (patch.steps ?? plan.steps).map((step) => ({ ...step, ...steps[step.id] })),
  };
}
