// Which messages of a session go into the next request (PROTOCOL 3.1, "Long histories").
import type { Message } from "../message.ts";
import type { Entry } from "./session-state.ts";

/** The conversation messages among `entries`, in order. */
export function messagesOf(entries: readonly Entry[]): Message[] {
  const messages: Message[] = [];
  for (const entry of entries) if (entry.event === "message") messages.push(entry.data.message);
  return messages;
}

function isEvent(message: Message, subkind: string): boolean {
  return message.role === "event" && message.extra.event.subkind === subkind;
}

/**
 * All of `messages`, or, once they hold a `summarization_marker`: the system message, the first user
 * message, the plan in force with its deltas, and everything from the last marker on.
 */
export function historyForTurn(messages: readonly Message[]): Message[] {
  const marker = messages.findLastIndex((message) => isEvent(message, "summarization_marker"));
  if (marker < 0) return [...messages];
  const plan = messages.findLastIndex((message) => message.role === "plan");
  const firstUser = messages.findIndex((message) => message.role === "user");
  return messages.filter(
    (message, index) =>
      index >= marker ||
      index === firstUser ||
      index === plan ||
      (index === 0 && message.role === "system") ||
      (index > plan && isEvent(message, "plan_delta")),
  );
}
