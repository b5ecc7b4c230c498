// What a stop cut, told to the model in the turn that follows. Made of what is recorded alone, like the rest of the ending.
import type { DurableDraft } from "../../shared/event.ts";
import type { Message, ToolCall } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { activeStep } from "../../shared/plan/steps.ts";
import { callArguments } from "../../shared/session/call-facts.ts";
import { eventMessage } from "../calls/tool-turn.ts";

/** The turn as far as it is recorded. */
interface CancelledTurn {
  turnId: string;
  messages: readonly Message[];
  mode: Mode;
  plan: Plan | null;
}

/** `results`: the drafts that give open calls their results. */
export function cancellationNote(turn: CancelledTurn, results: readonly DurableDraft[]): DurableDraft {
  const { turnId, messages, plan } = turn;
  const closed = results.flatMap((draft) => (draft.event === "message" ? [draft.data.message] : []));
  const cut = closed.flatMap((message) =>
    message.role === "tool" && !message.ok ? [message.toolCallId] : [],
  );
  const calls = messages
    .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
    .filter(({ id }) => cut.includes(id));
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
          `Cut: ${calls.map(named).join(", ")}. What had begun may have been done in part: look before you do it again.`,
        ]
      : []),
    ...(step ? [`Step ${step.id} was active and is not finished.`] : []),
    ...(answer || calls.length > 0 ? [] : ["Nothing was cut: it ended between two answers."]),
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
        data: { calls: calls.map(({ id }) => id), ...(answer ? { answer: true } : {}) },
      }),
    },
  };
}

function latest(messages: readonly Message[]): number {
  return messages.reduce((at, { createdAt }) => Math.max(at, createdAt), 0);
}

const maxArgumentChars = 200;

function named({ name, arguments: json }: ToolCall): string {
  const { command, path } = callArguments(json);
  const what = (command ?? path ?? "").slice(0, maxArgumentChars);
  return what === "" ? name : `${name} \`${what}\``;
}
