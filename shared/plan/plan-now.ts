// The current state of a plan in words for the model: its version, and the status of each step.
import type { Plan, Step } from "./plan-file.ts";
import { oneLine } from "./plan-lines.ts";
import { countSteps } from "./steps.ts";

/** "version 2 with 3 updates": the installed version, and how often it has been changed since. */
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

/** A line for each step: `2. [s2] failed; the engine's note: its check failed: exit 1`. */
export function stepLines(steps: readonly Step[]): string[] {
  return steps.map((step, index) => `${index + 1}. [${step.id}] ${step.status}${noteWords(step)}`);
}

/**
 * `; the model's note: wrote it`. Naming the author keeps a claim from reading like an observation. "" if there is no
 * note.
 */
export function noteWords({ note, noteBy }: Pick<Step, "note" | "noteBy">): string {
  if (!note) return "";
  return `; ${noteBy === undefined ? "noted" : `the ${noteBy}'s note`}: ${oneLine(note)}`;
}
