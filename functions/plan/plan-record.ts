// A plan's run in the history: one hidden report for each checkpoint, and the record that is read back from them.
import * as z from "zod/mini";
import type { EventMessage, Message, PlanMessage } from "../../shared/message.ts";
import { CheckBefore } from "../../shared/plan/check-before.ts";
import { checkLimitMs } from "../../shared/plan/check-time.ts";
import type { EditedFile } from "../../shared/plan/edited-file.ts";
import type { CheckResult, RunRecord } from "../../shared/plan/finish-summary.ts";
import type { Checkpoint, OnFail, Step } from "../../shared/plan/plan-file.ts";
import { abandons } from "../../shared/plan/set-plan.ts";
import { findStep } from "../../shared/plan/steps.ts";
import type { ExecValue } from "../../shared/sandbox.ts";
import { beginsPlan, isFinish } from "../../shared/session/history.ts";
import type { PendingCall } from "../calls/prepared.ts";
import { networkFacts } from "../calls/sandbox-notes.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { noReason } from "./checks.ts";
import { isVersion, withChangedFiles } from "./history-facts.ts";

export interface Check {
  /** Absent for a checkpoint of the whole plan. */
  step?: Pick<Step, "id" | "description">;
  check: Checkpoint;
  index: number;
  at: number;
  ms: number;
  exec: ExecValue | undefined;
  /** How it ended, in words. */
  end: string;
  /** If it was not run: why not. */
  problem?: string | undefined;
  /** The words with which the model reported the step, if a later run of this check may use them. */
  note?: string | undefined;
  /** If it failed: how it had ended before the plan changed anything. */
  before?: CheckBefore | undefined;
  /** If it failed: what the engine does about it. */
  act?: OnFail | undefined;
}

/** A check that hit its time limit or could not run has neither passed nor failed. */
export function judge(exec: ExecValue | undefined): "passed" | "failed" | "out_of_time" | "not_run" {
  if (!exec) return "not_run";
  if (exec.timedOut) return "out_of_time";
  return exec.exitCode === 0 ? "passed" : "failed";
}

/** Whether a report says that something failed: a check that ran to its end, or, by the model's word, the step. */
export function tellsFailure({ kind, passed, timedOut, notRun }: Record<string, unknown>): boolean {
  return kind === "failed" || (passed === false && timedOut !== true && notRun === undefined);
}

/** One hidden report per checkpoint: a line for the model, the facts for the person. */
export function report(turn: ToolTurn, pending: PendingCall, made: Check): void {
  const { step, check, exec, act, before } = made;
  const judged = judge(exec);
  turn.note({
    id: `${pending.call.id}.check${made.index}`.slice(0, 300),
    at: made.at,
    subkind: "verifier_report",
    source: "checkpoint",
    content: `${step ? `The check of step ${step.id}` : `The plan's check ${made.index - 99}`}: ${made.end}`,
    data: {
      kind: "checkpoint",
      toolCallId: pending.call.id,
      ...(step ? { stepId: step.id, description: step.description } : {}),
      command: check.command,
      passed: judged === "passed",
      exitCode: exec?.exitCode ?? null,
      ms: made.ms,
      ...(judged === "out_of_time" ? { timedOut: true, limitMs: checkLimitMs(check) } : {}),
      ...(judged === "not_run" ? { notRun: made.problem ?? noReason } : {}),
      ...(made.note === undefined ? {} : { note: made.note }),
      ...(act === undefined ? {} : { act }),
      ...(before === undefined ? {} : { before }),
      ...(exec && judged === "failed" ? networkFacts(exec) : {}),
    },
  });
}

/** Records that the model itself reported a step as failed. */
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
  const start = history.findLastIndex(
    (message, at) => isFinish(message) || beginsOtherPlan(message, history, at),
  );
  const since = history.slice(start + 1);
  return {
    checks: since.flatMap((message, at) =>
      isReport(message) && message.extra.event.data.kind === "checkpoint"
        ? [toCheck(message.extra.event.data, since.slice(at + 1))]
        : [],
    ),
    files: withChangedFiles(since, start < 0 ? before : []),
    rollbacks: since.flatMap((message, at) =>
      restoredFiles(message) && !meansOtherStep(message.extra.event.data, since.slice(at + 1))
        ? [String(message.extra.event.data.stepId)]
        : [],
    ),
  };
}

/**
 * Whether the message begins another plan, as a first version or one that abandons the plan before: work on that plan
 * does not count.
 */
function beginsOtherPlan(message: Message, history: readonly Message[], at: number): boolean {
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

/** Whether files were restored, by the plan's own rule or by the person. */
function restoredFiles(message: Message): message is EventMessage {
  if (message.role !== "event") return false;
  const { source, data } = message.extra.event;
  return source === "rewind" || (source === "rollback" && data.restored === true);
}

/**
 * Whether the step's id in `data` means another step by now: a later version lacks it, or describes it differently and
 * has not begun it. A step that was merely reworded counts as the same step.
 */
function meansOtherStep(
  { stepId, description }: Record<string, unknown>,
  later: readonly Message[],
): boolean {
  return later.some((message, at) => {
    if (!isVersion(message, later[at + 1])) return false;
    const step = findStep(message.extra.plan, String(stepId));
    if (!step) return true;
    const untouched = step.status === "pending" && step.snapshot === undefined;
    return untouched && description !== undefined && step.description !== description;
  });
}

/** `later`: what came after the check. */
function toCheck(data: Record<string, unknown>, later: readonly Message[]): CheckResult {
  const { stepId, description = stepId } = data;
  const before = z.safeParse(CheckBefore, data.before).data;
  return {
    ...(typeof stepId === "string" ? { stepId } : {}),
    ...(typeof stepId === "string" && meansOtherStep(data, later)
      ? { description: String(description) }
      : {}),
    command: String(data.command),
    exitCode: typeof data.exitCode === "number" ? data.exitCode : null,
    ...(data.timedOut === true ? { timedOut: true as const } : {}),
    ...(typeof data.limitMs === "number" ? { limitMs: data.limitMs } : {}),
    ...(typeof data.notRun === "string" ? { notRun: data.notRun } : {}),
    ...(before === undefined ? {} : { before }),
  };
}
