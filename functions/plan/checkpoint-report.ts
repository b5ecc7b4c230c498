// What a checkpoint leaves in the history: one hidden report, a line for the model and the facts for the person.
import type { ExecValue } from "../../shared/sandbox.ts";
import type { PendingCall } from "../tools/prepared.ts";
import { emitEvent, type TurnState } from "../turn/state.ts";

export interface Check {
  /** Absent for a checkpoint of the whole plan. */
  stepId?: string;
  command: string;
  index: number;
  at: number;
  ms: number;
  passed: boolean;
  exec: ExecValue | undefined;
  problem: string | undefined;
}

/** One hidden report per checkpoint: a line for the model, the facts for the person. */
export function report(state: TurnState, pending: PendingCall, check: Check): void {
  const how = check.exec
    ? check.exec.timedOut
      ? "timed out"
      : `exit ${check.exec.exitCode}`
    : (check.problem ?? "could not be run");
  emitEvent(state, {
    id: `${pending.call.id}.check${check.index}`.slice(0, 300),
    at: check.at,
    subkind: "verifier_report",
    source: "checkpoint",
    content: `${check.stepId === undefined ? "Plan" : `Step ${check.stepId}`} checked by \`${check.command}\`: ${how}`,
    data: {
      kind: "checkpoint",
      ...(check.stepId === undefined ? {} : { stepId: check.stepId }),
      command: check.command,
      passed: check.passed,
      exitCode: check.exec?.exitCode ?? null,
      ms: check.ms,
    },
  });
}
