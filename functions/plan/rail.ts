// The rail of a plan under way: one step is active, from a snapshot of its start on; one that failed holds the later
// ones back until the person was asked.
import * as z from "zod/mini";
import type { TurnEvent } from "../../shared/event.ts";
import type { Message } from "../../shared/message.ts";
import { checkLimitMs } from "../../shared/plan/check-time.ts";
import type { Step } from "../../shared/plan/plan-file.ts";
import { currentStep, isOver } from "../../shared/plan/steps.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import { isAnswered, isEventOf } from "../../shared/session/history.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import type { KeyedCall } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";

/** Source of the notice that a step is active. */
export const stepNotice = "plan_step";

/**
 * Before the model is asked: the current step of a plan under way becomes active. Nothing of the step is written yet, so
 * the first one's snapshot is the workspace as it was approved.
 */
export async function* keepOnRail(turn: ToolTurn, round: number): AsyncGenerator<TurnEvent> {
  const { plan, mode, history } = turn.state;
  if (!turn.env.rail || mode === "plan" || plan?.status !== "executing") return;
  const step = currentStep(plan);
  if (!step || isHeldBack(turn) || (step.status === "active" && !wasInterrupted(turn, step, round))) return;
  const { turnId } = turn.env.request;
  const calls = snapshotOf(step, `${turnId}/${round}/start`);
  // Said first: the request for the snapshot records it, so that it shows while the model thinks.
  if (calls.length > 0) turn.emit({ event: "step", data: { stepId: step.id, status: "active" } });
  const [result] = calls.length > 0 ? yield* turn.runCalls(calls) : [];
  const at = result?.at ?? history.at(-1)?.createdAt ?? 0;
  const again = step.status === "failed";
  const snapshot = beginStep(turn, step, result);
  turn.note({
    id: `${turnId}.${round}.step`,
    at,
    subkind: "system_notice",
    source: stepNotice,
    content: [
      ...(again ? [`The person has had their say: step ${step.id}, which failed, is open again.`] : []),
      ...beginText(step, snapshot),
      "Report it with update_plan: done with a one-line note, or skipped with a reason. It is checked then, and the next step is active by itself.",
    ].join("\n"),
    data: { stepId: step.id },
  });
}

/** Whether the turn that began the step ended before its snapshot was taken: nothing of it can be written yet. */
function wasInterrupted({ state }: ToolTurn, step: Step, round: number): boolean {
  const told = state.history.some(
    (message) =>
      message.role === "event" &&
      message.extra.event.source === stepNotice &&
      message.extra.event.data.stepId === step.id,
  );
  return round === 0 && step.snapshot === undefined && !told;
}

/** A step that is begun again keeps its first snapshot: undo goes back to before any work on it. */
export function snapshotOf(step: Step | undefined, key: string): KeyedCall[] {
  return step && step.snapshot === undefined ? [{ key, op: "snapshot", args: {} }] : [];
}

/** Emits that the step is active. Returns its snapshot; undefined where none could be taken. */
export function beginStep(turn: ToolTurn, step: Step, result: CallResult | undefined): string | undefined {
  const snapshot = step.snapshot ?? (result?.ok ? z.parse(SnapshotValue, result.value).snapshot : undefined);
  turn.emit({
    event: "step",
    data: { stepId: step.id, status: "active", ...(snapshot === undefined ? {} : { snapshot }) },
  });
  return snapshot;
}

/** A step that begins, in words for the model, which has the plan's text: it is not said again. */
export function beginText(step: Step, snapshot: string | undefined): string[] {
  return [
    `Step ${step.id} is active${snapshot === undefined ? "; no snapshot could be taken, so it cannot be undone" : ""}.`,
    ...(step.checkpoint
      ? [`Its check runs when it is reported done, for ${checkLimitMs(step.checkpoint) / 1_000} s at most.`]
      : []),
  ];
}

/** How far a plan under way has come, where steps of it are open and it is no time for planning. */
export function stepsLeft({
  state: { plan, mode },
}: Pick<ToolTurn, "state">): { over: number; total: number } | undefined {
  if (mode === "plan" || plan?.status !== "executing") return undefined;
  const over = plan.steps.filter(isOver).length;
  const total = plan.steps.length;
  return over < total ? { over, total } : undefined;
}

/** Whether the current step failed, and the person was neither asked nor said anything since. */
export function isHeldBack({ env, state }: Pick<ToolTurn, "env" | "state">): boolean {
  const step = state.plan && currentStep(state.plan);
  if (step?.status !== "failed") return false;
  const failed = state.history.findLastIndex((message) => isFailureOf(message, step.id));
  const failure = state.history[failed];
  if (!failure || state.history.slice(failed + 1).some(isWord)) return false;
  const { messages, input } = env.request;
  if (input.type !== "continue" || failed >= messages.length) return true;
  // Going on after a turn that had come to rest is the person's word; after one whose budget was used up it is not.
  const last = messages.at(-1);
  const rested = last?.role === "assistant" && last.finish === "stop" && !last.toolCalls;
  return !rested && !endedTheTurn(failure);
}

function isFailureOf(message: Message, stepId: string): boolean {
  if (!isEventOf(message, "verifier_report")) return false;
  const { data } = message.extra.event;
  const failed = data.kind === "failed" || (data.kind === "checkpoint" && data.passed === false);
  return failed && data.timedOut !== true && data.stepId === stepId;
}

function endedTheTurn(failure: Message): boolean {
  return isEventOf(failure, "verifier_report") && failure.extra.event.data.act === "stop";
}

function isWord(message: Message): boolean {
  return message.role === "user" || isAnswered(message);
}
