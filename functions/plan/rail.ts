// The rail of a plan under way: one step is active, from a snapshot of its start on; one that failed holds the later
// ones back until the person was asked.
import * as z from "zod/mini";
import type { Message } from "../../shared/message.ts";
import { checkLimitMs } from "../../shared/plan/check-time.ts";
import type { Step } from "../../shared/plan/plan-file.ts";
import { currentStep, isOver } from "../../shared/plan/steps.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import { isAnswered, isEventOf } from "../../shared/session/history.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import type { KeyedCall } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { tellsFailure } from "./plan-record.ts";

/** Source of the notice that a step is active. */
export const stepNotice = "plan_step";

/** Key of the snapshot for a step that begins before this round's answer is requested. */
export function startKey({ env }: Pick<ToolTurn, "env">, round: number): string {
  return `${env.request.turnId}/${round}/start`;
}

/** Key of the engine's own report in this round, for steps that are only a check. */
export function checkedKey(turnId: string, round: number): string {
  return `${turnId}/${round}/checked`;
}

/** A step that is begun again keeps its first snapshot: undo goes back to before any work on it. */
export function snapshotOf(step: Step | undefined, key: string): KeyedCall[] {
  return step && step.snapshot === undefined ? [{ key, op: "snapshot", args: {} }] : [];
}

/** Emits that the step is active. Returns its snapshot; undefined where none could be taken. */
export function beginStep(
  turn: ToolTurn,
  step: Step,
  result: CallResult | undefined,
  note?: string,
): string | undefined {
  const snapshot = step.snapshot ?? (result?.ok ? z.parse(SnapshotValue, result.value).snapshot : undefined);
  turn.emit({
    event: "step",
    data: {
      stepId: step.id,
      status: "active",
      ...(note === undefined ? {} : { note, noteBy: "engine" }),
      ...(snapshot === undefined ? {} : { snapshot }),
    },
  });
  return snapshot;
}

/** Tells the model that a step begins, without repeating the plan's text. */
export function beginText(step: Step, snapshot: string | undefined): string[] {
  return [
    `Step ${step.id} is active${snapshot === undefined ? "; no snapshot could be taken, so it cannot be undone" : ""}.`,
    ...(step.checkpoint
      ? [`Its check runs when it is reported done, for ${checkLimitMs(step.checkpoint) / 1_000} s at most.`]
      : []),
  ];
}

/** Progress of a running plan with open steps; undefined in plan mode. */
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
  return data.stepId === stepId && tellsFailure(data);
}

function endedTheTurn(failure: Message): boolean {
  return isEventOf(failure, "verifier_report") && failure.extra.event.data.act === "stop";
}

function isWord(message: Message): boolean {
  return message.role === "user" || isAnswered(message);
}
