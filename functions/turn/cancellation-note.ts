// What a stop cut, told to the model in the turn that follows. Made of what is recorded alone, like the rest of the ending.
import type { DurableDraft } from "../../shared/event.ts";
import type { Message } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { activeStep } from "../../shared/plan/steps.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import { callArguments } from "../../shared/session/call-facts.ts";
import { originOfMessage, pendingCall, type Resumption } from "../calls/open-calls.ts";
import type { PendingCall } from "../calls/prepared.ts";
import { eventMessage } from "../calls/tool-turn.ts";
import { endChecks } from "../plan/finish-plan.ts";

/** The whole result of a call that has none of its own, and the error code of one that was ended. */
export const noResult = "stopped";

/** The turn as far as it is recorded. */
interface CancelledTurn {
  turnId: string;
  messages: readonly Message[];
  mode: Mode;
  plan: Plan | null;
  context: { resumes?: Resumption | undefined };
  result(key: string): CallResult | undefined;
}

/** `results`: the drafts that give open calls their results. */
export function cancellationNote(turn: CancelledTurn, results: readonly DurableDraft[]): DurableDraft {
  const { turnId, messages, plan } = turn;
  const closed = results.flatMap((draft) => (draft.event === "message" ? [draft.data.message] : []));
  const calls = cutCalls(turn, closed);
  const last = messages.findLast(({ role }) => role === "assistant" || role === "user");
  const answer = last?.role === "assistant" && last.finish === "aborted";
  const step = plan ? activeStep(plan) : undefined;
  const content = [
    "The person stopped the turn.",
    ...(answer
      ? ["Your answer was cut off: what is above is its beginning, and none of its calls ran."]
      : []),
    ...(calls.length > 0
      ? [
          `Cut: ${calls.map((call) => named(turn, call)).join(", ")}. What had begun may have been done in part: look before you do it again.`,
        ]
      : []),
    ...(step ? [`Step ${step.id} was active and is not finished.`] : []),
    ...(answer || calls.length > 0 ? [] : ["Nothing was cut: they stopped while you were to answer."]),
  ].join("\n");
  return {
    event: "message",
    data: {
      message: eventMessage(turn, {
        id: `${turnId}.stopped`,
        at: latest([...messages, ...closed]),
        subkind: "cancellation_note",
        source: "engine",
        content,
        data: { calls: calls.map(({ call }) => call.id), ...(answer ? { answer: true } : {}) },
      }),
    },
  };
}

/**
 * Calls of the last answer of this turn that the stop ended, or that have no result of their own. Whether the runner gave
 * them their messages, or this ending does, depends on which of them was faster.
 */
function cutCalls(turn: CancelledTurn, closed: readonly Message[]): PendingCall[] {
  const { turnId, messages, context } = turn;
  const at = messages.findLastIndex((message) => message.role === "assistant" && message.toolCalls);
  const message = messages[at];
  const { resumes } = context;
  if (message?.role !== "assistant") return [];
  const resumed = resumes?.message.id === message.id;
  if (!resumed && originOfMessage(message.id)?.turnId !== turnId) return [];
  return (message.toolCalls ?? []).flatMap((_, ordinal) => {
    const pending = pendingCall(message, ordinal, { turnId, resumes });
    if (!pending || (resumed && ordinal < resumes.from)) return [];
    const is = (other: Message) => other.role === "tool" && other.toolCallId === pending.call.id;
    const result = messages.slice(at + 1).find(is) ?? closed.find(is);
    if (result?.role !== "tool") return [];
    return result.content === noResult || result.meta?.facts?.code === noResult ? [pending] : [];
  });
}

function latest(messages: readonly Message[]): number {
  return messages.reduce((at, { createdAt }) => Math.max(at, createdAt), 0);
}

const maxArgumentChars = 200;

function named(turn: CancelledTurn, pending: PendingCall): string {
  const { name, arguments: json } = pending.call;
  const check = cutCheck(turn, pending);
  if (check !== undefined) return `${name} in its check \`${check.slice(0, maxArgumentChars)}\``;
  const { command, path } = callArguments(json);
  const what = (command ?? path ?? "").slice(0, maxArgumentChars);
  return what === "" ? name : `${name} \`${what}\``;
}

/** The command of the check that ran when a report of progress was stopped: that of the active step, or of the whole plan. */
function cutCheck({ plan, result }: CancelledTurn, { key }: PendingCall): string | undefined {
  if (!plan) return undefined;
  const stopped = (suffix: string) => result(`${key}/${suffix}`)?.error?.code === noResult;
  const ends = endChecks(plan).find((_, index) => stopped(`end${index + 1}`));
  if (ends) return ends.command;
  const ran = plan.steps.some((_, index) => stopped(index === 0 ? "cp" : `cp${index + 1}`));
  return ran ? activeStep(plan)?.checkpoint?.command : undefined;
}
