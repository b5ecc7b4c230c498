// Facts about a session that the plan sheet shows: results of checks, other versions, and what changed since the person
// last looked. Pure.
import { decides } from "../../shared/plan/decided-points.ts";
import { planDifference } from "../../shared/plan/ledger.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { installPlan, markdownPlan } from "../../shared/plan/set-plan.ts";
import type { Entry } from "../../shared/session/session-state.ts";
import { type CheckFacts, checkFacts } from "../session/check-facts.ts";
import type { SeenPlan } from "../storage/draft.ts";

/**
 * By step id: the newest result of the check that the step of `plan` has now. Results from an earlier plan count only
 * for steps that were taken over while worked on. Results from an imported file never count: they do not tell what ran
 * here.
 */
export function checkResults(entries: readonly Entry[], plan: Plan): Map<string, CheckFacts> {
  const results = new Map<string, CheckFacts>();
  let version = plan.version;
  for (const entry of entries) {
    if (entry.event !== "message") continue;
    const { message } = entry.data;
    if (message.role === "plan") {
      const next = message.extra.plan;
      version = next.version;
      for (const id of results.keys()) if (!isWorkedOn(next, id)) results.delete(id);
    }
    if (message.role !== "event") continue;
    const { subkind, source, data } = message.extra.event;
    // After the person went back, earlier results say nothing about the present files.
    if (source === "rewind") results.clear();
    if (subkind !== "verifier_report" || source !== "checkpoint") continue;
    const facts = checkFacts(data);
    if (facts && typeof data.stepId === "string") results.set(data.stepId, facts);
  }
  if (version !== plan.version) return new Map();
  for (const [id, { command }] of results)
    if (plan.steps.find((step) => step.id === id)?.checkpoint?.command !== command) results.delete(id);
  return results;
}

function isWorkedOn({ steps }: Plan, stepId: string): boolean {
  return steps.some(({ id, status }) => id === stepId && status !== "pending");
}

/**
 * The versions in the loaded entries, newest last, each as it was installed; `plan` replaces the one with its version
 * number.
 */
export function planVersions(entries: readonly Entry[], plan: Plan): Plan[] {
  const versions = new Map<number, Plan>();
  for (const entry of entries) {
    if (entry.event !== "message" || entry.data.message.role !== "plan") continue;
    const other = entry.data.message.extra.plan;
    versions.set(other.version, other);
  }
  versions.set(plan.version, plan);
  return [...versions.values()].sort((a, b) => a.version - b.version);
}

/** The questions that the plan leaves open and that are not decided yet. */
export function openPoints({ decisionPoints, decisions }: Plan): string[] {
  return decisionPoints.flatMap((point) => {
    if (typeof point === "string") return [point];
    const decided = decisions.some((decision) => decides(decision, point));
    const options = (point.options ?? []).map(
      ({ label, description }) => `\n- ${label}${description === undefined ? "" : `: ${description}`}`,
    );
    return decided ? [] : [`${point.label}: ${point.prompt}${options.join("")}`];
  });
}

/** The differences from the plan as the person last saw it; empty if it is the same or was never seen. */
export function changedSinceSeen(plan: Plan, seen: SeenPlan | null): string[] {
  if (seen === null || seen.hash === plan.hash) return [];
  const made = markdownPlan(seen.markdown);
  if (!made.ok) return [];
  const { body, markdown } = made;
  const before = installPlan(null, { body, markdown, hash: seen.hash, source: "model" });
  return planDifference(before, plan);
}
