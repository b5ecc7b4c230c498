// Carries step status from a running plan to its next version, for steps whose words are unchanged.
import type { Plan } from "../../shared/plan/plan-file.ts";
import { findStep } from "../../shared/plan/steps.ts";

/**
 * `next` with the status of `before`. A step that had begun keeps the snapshot of its start and is open, so that a step
 * put before it comes first; a skipped one stays skipped.
 */
export function goesOn(before: Plan, next: Plan): Plan {
  const steps = next.steps.map((step) => {
    const was = findStep(before, step.id);
    if (was?.description !== step.description || step.status === "done") return step;
    const { snapshot, status, note, noteBy } = was;
    return {
      ...step,
      ...(snapshot === undefined ? {} : { snapshot }),
      ...(status === "skipped" ? { status } : {}),
      ...(status === "skipped" && note !== undefined ? { note } : {}),
      ...(status === "skipped" && noteBy !== undefined ? { noteBy } : {}),
    };
  });
  return { ...next, steps, status: before.status };
}
