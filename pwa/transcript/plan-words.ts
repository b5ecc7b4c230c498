// How a version of a plan is described in the transcript and in its sheet.
import type { Plan, PlanDelta } from "../../shared/plan/plan-file.ts";

/** "version 2 · changed twice": how often the plan's content was changed since the version was installed. */
export function versionInWords({ version, deltas }: Plan): string {
  const changes = deltas.filter(changesContent).length;
  if (changes === 0) return `version ${version}`;
  const times = changes === 1 ? "once" : changes === 2 ? "twice" : `${changes} times`;
  return `version ${version} · changed ${times}`;
}

/** Returns whether the delta changes the plan's content; progress and notes do not. */
function changesContent({ goal, steps = [], addSteps = [], removeSteps = [] }: PlanDelta): boolean {
  const rewritten = steps.some(({ id: _id, status: _status, note: _note, ...content }) =>
    Object.values(content).some((value) => value !== undefined),
  );
  return goal !== undefined || rewritten || addSteps.length > 0 || removeSteps.length > 0;
}
