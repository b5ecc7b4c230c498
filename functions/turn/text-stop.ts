// An answer without calls. It proposes a plan or ends the turn; if it is empty, the model is asked again; if it holds
// what looks like a call, the model is told that nothing was run. The code that finds such calls is loaded only if an
// answer may hold one.
import { HandrailError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import type { AssistantMessage, Finish, Message, ToolMessage } from "../../shared/message.ts";
import { looksLikePlan } from "../../shared/plan/proposal-text.ts";
import { wellFormed } from "../../shared/plan/scalars.ts";
import * as limits from "../limits.ts";
import { mending } from "../model/text-calls/text-calls.ts";
import { textStopProposes } from "../plan/proposal.ts";
import { remindOfSteps } from "../plan/rail.ts";
import { toolNames } from "../tools/tool-index.ts";
import { modelRef } from "./env.ts";
import { ownTools } from "./prompt-attempt.ts";
import type { RoundEnd } from "./round.ts";
import type { Turn } from "./turn.ts";

/** Throws `model_error` for an empty answer if asking again would not help. */
export async function* textStop(turn: Turn, message: AssistantMessage): AsyncGenerator<TurnEvent, RoundEnd> {
  const planning = turn.state.mode === "plan" && message.finish === "stop";
  if (!(planning && looksLikePlan(message.content)) && (await tellUnread(turn, message)))
    return { kind: "continues" };
  if (planning && (await textStopProposes(turn, message))) return { kind: "ends", reason: "proposed" };
  if (message.content.trim() === "") return yield* afterEmptyAnswer(turn, message);
  if (message.finish === "stop" && remindOfSteps(turn, message)) return { kind: "continues" };
  if (message.finish === "stop" && hasWorkedWithoutSteps(turn)) {
    const { finishStepless } = await import("../plan/finish-plan.ts");
    yield* finishStepless(turn, message, turn.state.round);
  }
  return { kind: "ends", reason: "stop" };
}

/** A plan without steps has no report that would end it, so it ends when the model has worked on it and stops. */
function hasWorkedWithoutSteps({ env, state: { plan, mode, history } }: Turn): boolean {
  if (env.isOlder || mode === "plan" || plan?.status !== "executing" || plan.steps.length > 0) return false;
  const { input, messages } = env.request;
  const continues = input.type !== "message" && input.type !== "approve";
  return continues || history.slice(messages.length).some((message) => isAct(message) && message.ok);
}

/** The finishes after which asking again would give the same, with the words for the person. */
const reasons: Partial<Record<Finish, string>> = {
  length: "used up the tokens of its answer before it said anything",
  content_filter: "said nothing: its provider's filter withheld the answer",
};

/** Tells the model in the history that its answer was empty, and continues: no turn ends in silence. */
function* afterEmptyAnswer(
  turn: Turn,
  { id, createdAt, finish, reasoning = "", thought }: AssistantMessage,
): Generator<TurnEvent, RoundEnd> {
  const { provider, id: model } = modelRef(turn.env);
  if (!turn.replays)
    yield { event: "diagnostic", data: { provider, model, kind: "empty_answer", repaired: false } };
  const reason = reasons[finish];
  if (reason !== undefined)
    throw new HandrailError(
      "model_error",
      `${model} ${reason}. Say it in other words, or choose another model.`,
    );
  turn.note({
    id: `${id}.empty`,
    at: createdAt,
    subkind: "system_notice",
    source: "model",
    content:
      reasoning === "" || thought?.field
        ? "The answer before this was empty. Continue with the task, or say what was done and what is still open."
        : `Your reasoning was not closed, so nothing was said or run. Close it with </think>, then call a tool or answer. It ended: ${wellFormed(reasoning.slice(-300))}`,
  });
  return { kind: "continues", fault: "empty" };
}

const source = "unread_call";

/**
 * Notes the calls that were not run, with an example of a correct one. True if the model has to answer again: at most
 * `limits.unreadAnswers` times a turn. The last note is also shown to the person, and the turn ends with it. `beside`:
 * the answer made other calls, so the turn continues in any case.
 */
export async function tellUnread(turn: Turn, message: AssistantMessage, beside = false): Promise<boolean> {
  const { env, state } = turn;
  const { content, finish, id, createdAt } = message;
  const form = state.toolProtocol;
  if (env.isOlder || finish === "content_filter" || content.trim() === "") return false;
  if (form === "native" && (beside || ![...toolNames].some((name) => content.includes(name)))) return false;
  const own = state.history.slice(env.request.messages.length);
  const told = own.filter(isUnreadNotice).length;
  if (told > limits.unreadAnswers) return false;
  const { unreadAnswer } = await mending();
  const last = own.findLast(isAct);
  const words = unreadAnswer(content, {
    form,
    offered: ownTools(turn),
    known: new Set(toolNames),
    acted: last?.ok === true,
    refused: last && refusedPath(last),
    planning: state.mode === "plan",
    beside,
    told,
  });
  if (words === undefined) return false;
  // After calls that ran, the turn continues anyway, so this does not count as a reminder.
  turn.note({
    id: `${id}.${beside ? "beside" : "unread"}`,
    at: createdAt,
    subkind: "system_notice",
    source,
    content: words,
  });
  return told < limits.unreadAnswers;
}

function isUnreadNotice(message: Message): boolean {
  return message.role === "event" && message.extra.event.source === source && message.id.endsWith(".unread");
}

const acting: ReadonlySet<string> = new Set(["edit_file", "write_file", "run_command"]);

function isAct(message: Message): message is ToolMessage {
  return message.role === "tool" && acting.has(message.name);
}

/** The file of a rejected change; a call that the person denied does not count. */
function refusedPath({ ok, name, content }: ToolMessage): string | undefined {
  const [, path] = /^REJECTED, nothing written to (.+?)(?: \(\d+ problems\))?\.$/m.exec(content) ?? [];
  return ok ? undefined : (path ?? (content.startsWith(`error: ${name}: `) ? "the file" : undefined));
}
