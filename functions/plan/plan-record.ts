// A plan's run in the history: one hidden report for each checkpoint, and the record that is read back from them.
import type { EventMessage, Message, PlanMessage } from "../../shared/message.ts";
import type { CheckResult, EditedFile, RunRecord } from "../../shared/plan/finish-summary.ts";
import { abandons } from "../../shared/plan/set-plan.ts";
import type { ExecValue } from "../../shared/sandbox.ts";
import { beginsPlan, isFinish } from "../../shared/session/history.ts";
import type { PendingCall } from "../tools/prepared.ts";
import type { ToolTurn } from "../tools/tool-turn.ts";
import { changedFiles } from "./history-facts.ts";

export interface Check {
  /** Absent for a checkpoint of the whole plan. */
  stepId?: string;
  command: string;
  index: number;
  at: number;
  ms: number;
  passed: boolean;
  exec: ExecValue | undefined;
  /** How it ended, in words. */
  end: string;
}

/** One hidden report per checkpoint: a line for the model, the facts for the person. */
export function report(turn: ToolTurn, pending: PendingCall, check: Check): void {
  turn.note({
    id: `${pending.call.id}.check${check.index}`.slice(0, 300),
    at: check.at,
    subkind: "verifier_report",
    source: "checkpoint",
    content: `${check.stepId === undefined ? `The plan's check ${check.index - 99}` : `The check of step ${check.stepId}`}: ${check.end}`,
    data: {
      kind: "checkpoint",
      toolCallId: pending.call.id,
      ...(check.stepId === undefined ? {} : { stepId: check.stepId }),
      command: check.command,
      passed: check.passed,
      exitCode: check.exec?.exitCode ?? null,
      ms: check.ms,
    },
  });
}

/** Everything since the active plan began. `before`: files changed before the first message of `history`. */
export function runRecord(history: readonly Message[], before: readonly EditedFile[]): RunRecord {
  const start = history.findLastIndex((message, at) => isFinish(message) || isOther(message, history, at));
  const since = history.slice(start + 1);
  const reports = since.filter(isReport).map((message) => message.extra.event.data);
  return {
    checks: reports.filter((data) => data.kind === "checkpoint").map(toCheck),
    files: changedFiles(since, start < 0 ? before : []),
    rollbacks: [...new Set(since.filter(tookBack).map(({ extra }) => String(extra.event.data.stepId)))],
  };
}

/** A first version, or one that abandons the plan before it: work done for that one does not count. */
function isOther(message: Message, history: readonly Message[], at: number): boolean {
  if (message.role !== "plan") return false;
  const before = history.findLast(
    (other, index): other is PlanMessage => index < at && other.role === "plan",
  );
  const { plan } = message.extra;
  return beginsPlan(message) || (!!before && abandons({ ...before.extra.plan, status: "executing" }, plan));
}

function isReport(message: Message): message is EventMessage {
  return message.role === "event" && message.extra.event.subkind === "verifier_report";
}

/** Files were restored: by the plan's own rule, or by the person. */
function tookBack(message: Message): message is EventMessage {
  if (message.role !== "event") return false;
  const { source, data } = message.extra.event;
  return source === "rewind" || (source === "rollback" && data.restored === true);
}

function toCheck(data: Record<string, unknown>): CheckResult {
  return {
    ...(typeof data.stepId === "string" ? { stepId: data.stepId } : {}),
    command: String(data.command),
    exitCode: typeof data.exitCode === "number" ? data.exitCode : null,
  };
}
