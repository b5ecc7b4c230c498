// The progress that an `update_plan` call reports: which steps start and end, what has to run for it, what is wrong with it.
import type { Plan } from "../../shared/plan/plan-file.ts";
import { findStep, isOver } from "../../shared/plan/steps.ts";
import { applyUpdate, type StatusChange } from "../../shared/plan/update-plan.ts";
import { planChecks } from "./finish-plan.ts";

/** The steps that this update starts and ends. */
export interface Progress {
  /** Becomes active: a snapshot is taken now. */
  starts: StatusChange | undefined;
  /** Reported done, in order, each with its checkpoint if it has one. */
  ends: StatusChange[];
  /** pending, failed, skipped: only recorded. */
  others: StatusChange[];
}

/** The checkpoints of the steps that end, and all commands that run for them: after the last step, those of the whole plan too. */
export function checksOf(plan: Plan, progress: Progress) {
  const checks = progress.ends.flatMap((change) => {
    const checkpoint = findStep(plan, change.stepId)?.checkpoint;
    return checkpoint ? [{ stepId: change.stepId, ...checkpoint }] : [];
  });
  const finishing = finishes(plan, progress) ? planChecks(plan) : [];
  return { checks, commands: [...checks, ...finishing].map(({ command }) => command) };
}

/** The commands that the engine would run for a call of `update_plan`. */
export function checkpointCommands(plan: Plan | null, args: unknown): string[] {
  const applied = plan && applyUpdate(plan, args);
  return applied?.ok ? checksOf(applied.plan, sortChanges(applied.statusChanges)).commands : [];
}

/** Whether these steps are the last ones of the plan. */
function finishes(plan: Plan, { starts, ends, others }: Progress): boolean {
  const ended = [...ends, ...others.filter(({ status }) => status === "skipped")];
  const over = new Set(ended.map(({ stepId }) => stepId));
  return !starts && over.size > 0 && plan.steps.every((step) => over.has(step.id) || isOver(step));
}

export function sortChanges(changes: readonly StatusChange[]): Progress {
  return {
    starts: changes.find((change) => change.status === "active"),
    ends: changes.filter((change) => change.status === "done"),
    others: changes.filter((change) => change.status !== "active" && change.status !== "done"),
  };
}

export function progressProblem(
  plan: Plan,
  { starts, ends, others }: Progress,
  changes: readonly StatusChange[],
): string | undefined {
  const bare = ends.find((change) => !change.note?.trim());
  if (bare) return `step ${bare.stepId} needs a one-line note that says what was done`;
  if (changes.filter((change) => change.status === "active").length > 1)
    return "only one step can be active at a time";
  const active = plan.steps.find((step) => step.status === "active");
  const leaves = [...ends, ...others].some((change) => change.stepId === active?.id);
  if (starts && active && active.id !== starts.stepId && !leaves) {
    return `step ${active.id} is still active; mark it done, failed or skipped before starting ${starts.stepId}`;
  }
  return undefined;
}
