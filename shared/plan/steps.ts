// Functions on the steps of a plan: what their state is, and the plan with one step changed. All are pure.
import type { Plan, Step, StepStatus } from "./plan-file.ts";

export function findStep(plan: Plan | null, id: string): Step | undefined {
  return plan?.steps.find((step) => step.id === id);
}

/** The number of a step as texts and screens show it, from 1; 0 if the plan does not contain it. */
export function stepNumber(plan: Plan, id: string): number {
  return plan.steps.findIndex((step) => step.id === id) + 1;
}

/** The step that is being worked on; there is at most one. */
export function activeStep(plan: Plan): Step | undefined {
  return plan.steps.find((step) => step.status === "active");
}

/** The current step: the active one, otherwise the first that is neither done nor skipped. */
export function currentStep(plan: Plan): Step | undefined {
  return activeStep(plan) ?? plan.steps.find((step) => !isOver(step));
}

/**
 * Adjusts the plan after steps were added: if a pending step now comes before the active one, the active one becomes
 * pending again, so that the earlier step is worked on first. It keeps the snapshot of its start.
 */
export function earliestFirst(plan: Plan): Plan {
  const active = activeStep(plan);
  const first = plan.steps.find((step) => !isOver(step));
  return active && first?.status === "pending" ? withStep(plan, active.id, { status: "pending" }) : plan;
}

export function doneSteps(plan: Plan | null): Step[] {
  return plan?.steps.filter((step) => step.status === "done") ?? [];
}

/** The first step that has not begun. */
export function nextPending(plan: Plan): Step | undefined {
  return plan.steps.find((step) => step.status === "pending");
}

/**
 * Whether every step is done or skipped. A plan without steps is never finished, because nothing shows that its work
 * was done.
 */
export function isFinished(plan: Plan): boolean {
  return plan.steps.length > 0 && plan.steps.every(isOver);
}

/** Whether no work is left in this step. */
export function isOver(step: Pick<Step, "status">): boolean {
  return step.status === "done" || step.status === "skipped";
}

export type StepPatch = { [K in "status" | "note" | "noteBy" | "snapshot"]?: Step[K] | undefined };

/** The plan with changed progress of one step; a field that is present but undefined is removed. */
export function withStep(plan: Plan, id: string, patch: StepPatch): Plan {
  return { ...plan, steps: plan.steps.map((step) => (step.id === id ? patched(step, patch) : step)) };
}

function patched(step: Step, patch: StepPatch): Step {
  const { note: oldNote, noteBy: oldBy, snapshot: oldSnapshot, ...content } = step;
  const note = "note" in patch ? patch.note : oldNote;
  const noteBy = "note" in patch ? patch.noteBy : oldBy;
  const snapshot = "snapshot" in patch ? patch.snapshot : oldSnapshot;
  return {
    ...content,
    status: patch.status ?? step.status,
    ...(note === undefined ? {} : { note }),
    ...(noteBy === undefined ? {} : { noteBy }),
    ...(snapshot === undefined ? {} : { snapshot }),
  };
}

/**
 * The plan in which `id` and every later step are pending again, without their notes and snapshots. Unknown ids change
 * nothing.
 */
export function reopenFrom(plan: Plan, id: string): Plan {
  const from = plan.steps.findIndex((step) => step.id === id);
  if (from < 0) return plan;
  const fresh: StepPatch = { status: "pending", note: undefined, snapshot: undefined };
  return { ...plan, steps: plan.steps.map((step, index) => (index < from ? step : patched(step, fresh))) };
}

export function countSteps(plan: Plan, status: StepStatus): number {
  return plan.steps.filter((step) => step.status === status).length;
}

/** How many steps are done or skipped, for example `2 of 4`. */
export function progressWords(plan: Plan): string {
  return `${plan.steps.filter(isOver).length} of ${plan.steps.length}`;
}
