// Reads a report about a check into the facts that the screens show. Pure.
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
  /** For a failed check: how it had ended before the plan changed anything, in words, if that is known. */
  before: string | undefined;
  /** For a check that failed without a network: the hosts or networks that the person can open for it. */
  lacked: CheckNetwork | undefined;
}

const CheckNetwork = z.object({
  needsNetwork: z.optional(z.boolean()),
  refusedHosts: z.optional(z.array(RefusedHost)),
});
export type CheckNetwork = z.infer<typeof CheckNetwork>;

/** `data` is that of a checkpoint's report, as the engine wrote it. Undefined if it names no command. */
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

/** Returns whether the newest attempt to run the step's check failed to start it. */
export function lastCheckNotRun(entries: readonly Entry[], stepId: string): boolean {
  for (const entry of entries.toReversed()) {
    if (entry.event !== "message") continue;
    const { message } = entry.data;
    // In an earlier plan the same id may name another step.
    if (message.role === "plan") return false;
    if (message.role !== "event") continue;
    const { subkind, data } = message.extra.event;
    if (subkind === "verifier_report" && data.stepId === stepId) return data.notRun !== undefined;
  }
  return false;
}
