// The state of a plan at this moment, in words for the model: its version, and what became of each step.
import type { Plan, Step } from "./plan-file.ts";
import { oneLine } from "./plan-lines.ts";
import { countSteps } from "./steps.ts";

/** "version 2 with 3 updates": what was installed, and how often that was changed since. */
export function versionWords({ version, deltas }: Pick<Plan, "version" | "deltas">): string {
  if (deltas.length === 0) return `version ${version}`;
  return `version ${version} with ${deltas.length} ${deltas.length === 1 ? "update" : "updates"}`;
}

/** `Version 2 with 1 update, executing: 3 of 5 steps done, 1 failed.` */
export function stateLine(plan: Plan): string {
  const others = (["failed", "skipped"] as const)
    .map((status) => ({ status, count: countSteps(plan, status) }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `, ${count} ${status}`);
  const steps =
    plan.steps.length === 0
      ? "no steps"
      : `${countSteps(plan, "done")} of ${plan.steps.length} steps done${others.join("")}`;
  return `V${versionWords(plan).slice(1)}, ${plan.status}: ${steps}.`;
}

/** What the engine itself notes on a step; every other note is the model's. */
const engineNote =
  /^(?:its check (?:failed: |ran (?:by itself|out of time))|its checkpoint failed$|the model says that it failed$|attempt \d+ of \d+: |taken back, to be tried again$)/;

/** A line for each step: `2. [s2] failed; the engine's note: its check failed: exit 1`. */
export function stepLines(steps: readonly Step[]): string[] {
  return steps.map(({ id, status, note }, index) => {
    const said =
      note === undefined || note === ""
        ? ""
        : `; the ${engineNote.test(note) ? "engine" : "model"}'s note: ${oneLine(note)}`;
    return `${index + 1}. [${id}] ${status}${said}`;
  });
}
