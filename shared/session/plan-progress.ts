// Applies events other than `plan` to the phone's copy of the plan. They change statuses, never its text.

import type * as z from "zod/mini";
import type { durableData } from "../event.ts";
import { isActivePlan } from "../plan/is-active-plan.ts";
import type { Plan } from "../plan/plan-file.ts";
import { withStep } from "../plan/steps.ts";

type StepData = z.infer<typeof durableData.step>;

/** The plan with one step's status, note and snapshot as the event says. */
export function mergeStep(plan: Plan | null, data: StepData): Plan | null {
  if (plan === null) return null;
  const { stepId, ...patch } = data;
  const starts = data.status === "active" && isActivePlan(plan);
  return { ...withStep(plan, stepId, patch), status: starts ? "executing" : plan.status };
}

export function proposedPlan(
  plan: Plan | null,
  data: { planVersion: number; planHash: string },
): Plan | null {
  return plan !== null && plan.version === data.planVersion && plan.hash === data.planHash
    ? { ...plan, status: "proposed" }
    : plan;
}

/** The plan after the finish summary, which ends it. */
export function finishedPlan(
  plan: Plan | null,
  event: { subkind: string; data: Record<string, unknown> },
): Plan | null {
  const finished = event.subkind === "verifier_report" && event.data.kind === "finish";
  return plan !== null && finished ? { ...plan, status: "done" } : plan;
}
