// What the plan sheet reads off a session: results of checks, other versions, what changed since it was last seen. Pure.
import * as z from "zod/mini";
import { CheckBefore, failedBefore } from "../../shared/plan/check-before.ts";
import { planDifference } from "../../shared/plan/ledger.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { installPlan, markdownPlan } from "../../shared/plan/set-plan.ts";
import type { Entry } from "../../shared/session/session-state.ts";
import type { SeenPlan } from "../storage/draft.ts";

export interface ShownCheck {
  passed: boolean;
  /** "`npm test` passed · 3.1 s" without its time. */
  command: string;
  ms: number;
  /** Its limit ended it: it neither passed nor failed. */
  timedOut: boolean;
  /** It failed, and had failed before the plan changed anything. */
  failedBefore: boolean;
}

/** The newest result of each step's check, by step id; "" = of the whole plan, by its command. */
export function checkResults(entries: readonly Entry[]): Map<string, ShownCheck> {
  const results = new Map<string, ShownCheck>();
  for (const entry of entries) {
    if (entry.event !== "message" || entry.data.message.role !== "event") continue;
    const { subkind, source, data } = entry.data.message.extra.event;
    // A check that ran before a person went back says nothing about the files now.
    if (source === "rewind") results.clear();
    if (subkind !== "verifier_report" || data.kind !== "checkpoint") continue;
    const { command, stepId, passed, ms, timedOut, before } = data;
    if (typeof command !== "string") continue;
    const key = typeof stepId === "string" ? stepId : `plan: ${command}`;
    results.set(key, {
      command,
      passed: passed === true,
      ms: typeof ms === "number" ? ms : 0,
      timedOut: timedOut === true,
      failedBefore: failedBefore(z.safeParse(CheckBefore, before).data),
    });
  }
  return results;
}

/** The versions that the loaded entries hold, newest last, each as it was installed; `plan` replaces the one of its own version. */
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

/** What the plan leaves open and nobody has decided. */
export function openPoints({ decisionPoints, decisions }: Plan): string[] {
  return decisionPoints.flatMap((point) => {
    if (typeof point === "string") return [point];
    const decided = decisions.some(({ id, label }) => id === point.id || label === point.label);
    return decided ? [] : [`${point.label}: ${point.prompt}`];
  });
}

/** What is different from the plan as it was last looked at; empty where it is the same, or was never seen. */
export function changedSinceSeen(plan: Plan, seen: SeenPlan | null): string[] {
  if (seen === null || seen.hash === plan.hash) return [];
  const made = markdownPlan(seen.markdown);
  if (!made.ok) return [];
  const { body, markdown } = made;
  const before = installPlan(null, { body, markdown, hash: seen.hash, source: "model" });
  return planDifference(before, plan);
}
