// Keeps a plan in progress on its rail: one step is active, starting with a snapshot; a failed step blocks the later
// ones until the person has been asked. A model that stops with open steps is reminded once, then the turn ends.
import * as z from "zod/mini";
import type { AssistantMessage, Message } from "../../shared/message.ts";
import { checkLimitMs } from "../../shared/plan/check-time.ts";
import type { Step } from "../../shared/plan/plan-file.ts";
import { currentStep, isOver, progressWords } from "../../shared/plan/steps.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import { isAnswered, isEventOf } from "../../shared/session/history.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import type { KeyedCall } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { withChangedFiles } from "./history-facts.ts";
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

/** A step that begins again keeps its first snapshot, so that undo removes all work on it. */
export function snapshotOf(step: Step | undefined, key: string): KeyedCall[] {
  return step && step.snapshot === undefined ? [{ key, op: "snapshot", args: {} }] : [];
}

/** Emits that the step is active. Returns its snapshot; undefined if none could be taken. */
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

/** Whether the current step failed, and since then the person has neither been asked nor said anything. */
export function isHeldBack({ env, state }: Pick<ToolTurn, "env" | "state">): boolean {
  const step = state.plan && currentStep(state.plan);
  if (step?.status !== "failed") return false;
  const failed = state.history.findLastIndex((message) => isFailureOf(message, step.id));
  const failure = state.history[failed];
  if (!failure || state.history.slice(failed + 1).some(isWord)) return false;
  const { messages, input } = env.request;
  if (input.type !== "continue" || failed >= messages.length) return true;
  // Continuing after a turn that ended by itself counts as the person's word; after an exhausted budget it does not.
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

const reminder = "plan_open";

/** Emits the reminder; false if the turn has to end. It is repeated only after the model has made progress. */
export function remindOfSteps(turn: ToolTurn, { id, createdAt }: AssistantMessage): boolean {
  const { env, state } = turn;
  const { plan } = state;
  // A model that says what failed has, in effect, asked the person.
  if (env.isOlder || !plan || !stepsLeft(turn) || isHeldBack(turn)) return false;
  const own = state.history.slice(env.request.messages.length);
  const last = own.findLastIndex((message) => isNotice(message, reminder));
  if (last >= 0 ? !own.slice(last + 1).some(isProgress) : !worksOnPlan(turn, own)) return false;
  const step = currentStep(plan);
  turn.note({
    id: `${id}.open`,
    at: createdAt,
    subkind: "system_notice",
    source: reminder,
    content: [
      `The plan is not finished: ${progressWords(plan)} steps are over${step ? `, and step ${step.id} is ${step.status}: ${step.description}` : ""}.`,
      "Report what is done with update_plan and continue; call ask_user where the person has to decide. If you stop again, the turn ends.",
    ].join("\n"),
  });
  return true;
}

/** Answering the person's question, in words or after reading files, is not work on the plan. */
function worksOnPlan({ env }: ToolTurn, own: readonly Message[]): boolean {
  if (env.request.input.type !== "message") return true;
  const began = own.some((message) => isNotice(message, stepNotice) || isProgress(message));
  return began || withChangedFiles(own, []).length > 0;
}

function isProgress(message: Message): boolean {
  return message.role === "tool" && message.name === "update_plan" && message.ok;
}

function isNotice(message: Message, source: string): boolean {
  return message.role === "event" && message.extra.event.source === source;
}
