// A plan's run in the history: one hidden report for each checkpoint, and the record that is read back from them.
import * as z from "zod/mini";
import type { EventMessage, Message, PlanMessage } from "../../shared/message.ts";
import { CheckBefore } from "../../shared/plan/check-before.ts";
import { checkLimitMs } from "../../shared/plan/check-time.ts";
import type { CheckResult, EditedFile, RunRecord } from "../../shared/plan/finish-summary.ts";
import type { Checkpoint, OnFail } from "../../shared/plan/plan-file.ts";
import { abandons } from "../../shared/plan/set-plan.ts";
import type { ExecValue } from "../../shared/sandbox.ts";
import { beginsPlan, isFinish } from "../../shared/session/history.ts";
import type { PendingCall } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { withChangedFiles } from "./history-facts.ts";

export interface Check {
  /** Absent for a checkpoint of the whole plan. */
  stepId?: string;
  check: Checkpoint;
  index: number;
  at: number;
  ms: number;
  exec: ExecValue | undefined;
  /** How it ended, in words. */
  end: string;
  /** How it had ended before the plan changed anything, where it failed. */
  before?: CheckBefore | undefined;
  /** What the engine does about it, where it failed. */
  act?: OnFail | undefined;
}

/** A check that was cut short by its limit has neither passed nor failed. */
export function judge(exec: ExecValue | undefined): "passed" | "failed" | "out_of_time" {
  if (exec?.timedOut) return "out_of_time";
  return exec?.exitCode === 0 ? "passed" : "failed";
}

/** One hidden report per checkpoint: a line for the model, the facts for the person. */
export function report(turn: ToolTurn, pending: PendingCall, made: Check): void {
  const { stepId, check, exec, act, before } = made;
  const judged = judge(exec);
  turn.note({
    id: `${pending.call.id}.check${made.index}`.slice(0, 300),
    at: made.at,
    subkind: "verifier_report",
    source: "checkpoint",
    content: `${stepId === undefined ? `The plan's check ${made.index - 99}` : `The check of step ${stepId}`}: ${made.end}`,
    data: {
      kind: "checkpoint",
      toolCallId: pending.call.id,
      ...(stepId === undefined ? {} : { stepId }),
      command: check.command,
      passed: judged === "passed",
      exitCode: exec?.exitCode ?? null,
      ms: made.ms,
      ...(judged === "out_of_time" ? { timedOut: true, limitMs: checkLimitMs(check) } : {}),
      ...(act === undefined ? {} : { act }),
      ...(before === undefined ? {} : { before }),
    },
  });
}

/** The model says by itself that a step failed. */
export function reportFailed(
  turn: ToolTurn,
  pending: PendingCall,
  { stepId, note, act, index, at }: { stepId: string; note?: string; act: OnFail; index: number; at: number },
): void {
  turn.note({
    id: `${pending.call.id}.failed${index}`.slice(0, 300),
    at,
    subkind: "verifier_report",
    source: "step",
    content: `Step ${stepId} failed, the model says${note ? `: ${note}` : "."}`,
    data: { kind: "failed", stepId, act },
  });
}

/** Everything since the active plan began. `before`: files changed before the first message of `history`. */
export function runRecord(history: readonly Message[], before: readonly EditedFile[]): RunRecord {
  const start = history.findLastIndex((message, at) => isFinish(message) || isOther(message, history, at));
  const since = history.slice(start + 1);
  const reports = since.filter(isReport).map((message) => message.extra.event.data);
  return {
    checks: reports.filter((data) => data.kind === "checkpoint").map(toCheck),
    files: withChangedFiles(since, start < 0 ? before : []),
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
  const before = z.safeParse(CheckBefore, data.before).data;
  return {
    ...(typeof data.stepId === "string" ? { stepId: data.stepId } : {}),
    command: String(data.command),
    exitCode: typeof data.exitCode === "number" ? data.exitCode : null,
    ...(data.timedOut === true ? { timedOut: true as const } : {}),
    ...(typeof data.limitMs === "number" ? { limitMs: data.limitMs } : {}),
    ...(before === undefined ? {} : { before }),
  };
}
