// What a report says about a check, as the screens show it. Pure.
import * as z from "zod/mini";
import { RefusedHost } from "../../shared/network.ts";
import { CheckBefore } from "../../shared/plan/check-before.ts";
import type { Entry } from "../../shared/session/session-state.ts";

/** A check that hit its time limit or could not run neither passed nor failed. */
export type CheckOutcome = "passed" | "failed" | "out_of_time" | "not_run";

export interface CheckFacts {
  command: string;
  outcome: CheckOutcome;
  ms: number;
  /** If it failed and that is known: how it had ended before the plan changed anything, in words. */
  before: string | undefined;
  /** If it failed because it had no network: what the person can open for it. */
  lacked: CheckNetwork | undefined;
}

const CheckNetwork = z.object({
  needsNetwork: z.optional(z.boolean()),
  refusedHosts: z.optional(z.array(RefusedHost)),
});
export type CheckNetwork = z.infer<typeof CheckNetwork>;

/** `data`: of a report of a checkpoint, as the engine wrote it. Undefined if it names no command. */
export function checkFacts(data: Record<string, unknown>): CheckFacts | undefined {
  const { command, ms, before } = data;
  if (data.kind !== "checkpoint" || typeof command !== "string") return undefined;
  return {
    command,
    outcome: outcomeOf(data),
    ms: typeof ms === "number" ? ms : 0,
    before: beforeInWords(before),
    lacked: z.safeParse(CheckNetwork, data).data,
  };
}

function outcomeOf({ passed, timedOut, notRun }: Record<string, unknown>): CheckOutcome {
  if (passed === true) return "passed";
  if (notRun !== undefined) return "not_run";
  return timedOut === true ? "out_of_time" : "failed";
}

function beforeInWords(before: unknown): string | undefined {
  const { data } = z.safeParse(CheckBefore, before);
  if (!data || data.exitCode === null) return undefined;
  if (data.exitCode === 0) return "It passed before the plan changed anything";
  return `It failed before the plan changed anything, too${data.last === undefined ? "" : `: ${data.last}`}`;
}

/** Whether the newest run of the step's check could not be run. */
export function lastCheckNotRun(entries: readonly Entry[], stepId: string): boolean {
  for (const entry of entries.toReversed()) {
    if (entry.event !== "message") continue;
    const { message } = entry.data;
    // The id may name another step in the plan before.
    if (message.role === "plan") return false;
    if (message.role !== "event") continue;
    const { subkind, data } = message.extra.event;
    if (subkind === "verifier_report" && data.stepId === stepId) return data.notRun !== undefined;
  }
  return false;
}
