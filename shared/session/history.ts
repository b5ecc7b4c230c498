// Selects the messages of a session for the next request (PROTOCOL 3.1, "Long histories").
import type { EventMessage, Message, ToolMessage } from "../message.ts";
import type { Entry } from "./session-state.ts";

/** The conversation messages among `entries`, in order. */
export function messagesOf(entries: readonly Entry[]): Message[] {
  const messages: Message[] = [];
  for (const entry of entries) if (entry.event === "message") messages.push(entry.data.message);
  return messages;
}

export function isEventOf(message: Message, subkind: string): message is EventMessage {
  return message.role === "event" && message.extra.event.subkind === subkind;
}

export function isMarker(message: Message): message is EventMessage {
  return isEventOf(message, "summarization_marker");
}

/** Source of the notice that the person closed a plan with its steps as they were. */
export const planClosed = "plan_close";

/** Whether this message ends a plan; messages before it do not belong to an active plan. */
export function isFinish(message: Message): boolean {
  if (message.role !== "event") return false;
  const { subkind, source, data } = message.extra.event;
  return (subkind === "verifier_report" && data.kind === "finish") || source === planClosed;
}

/** Whether this is a set of questions that the person has answered: the successful result of their call. */
export function isAnswered(message: Message): message is ToolMessage {
  return message.role === "tool" && message.name === "ask_user" && message.ok;
}

/** Whether this is a version of a plan, or a change to one. */
export function isOfPlan(message: Message): boolean {
  return message.role === "plan" || isEventOf(message, "plan_delta");
}

/** Whether this is a plan's first version; earlier versions belong to another plan, or to one that was started over. */
export function beginsPlan(message: Message): boolean {
  return message.role === "plan" && message.extra.plan.supersedes === null;
}

/**
 * All of `messages`; or, if there is a `summarization_marker`, the system message, the first user message, the versions
 * and changes of the active plan, and everything from the last marker on.
 */
export function historyForTurn(messages: readonly Message[]): Message[] {
  const marker = messages.findLastIndex(isMarker);
  if (marker < 0) return [...messages];
  const firstUser = messages.findIndex((message) => message.role === "user");
  const finish = messages.findLastIndex(isFinish);
  const plan = Math.max(messages.findLastIndex(beginsPlan), finish);
  return messages.filter(
    (message, index) =>
      index >= marker ||
      index === firstUser ||
      (index === 0 && message.role === "system") ||
      (index >= plan && isOfPlan(message)),
  );
}
