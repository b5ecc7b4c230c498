// Repairs a history that was partly lost by a disk, so that a server accepts it. Pure.
import type { Message, ToolCall, ToolMessage } from "../message.ts";
import type { Mode } from "../mode.ts";

/**
 * `messages` with exactly one result after each call: a call without a result gets one that says so, and a result
 * without a call is left out. Calls at the end stay open, because they may be waiting. A complete history is returned
 * unchanged.
 */
export function takeable(messages: readonly Message[]): Message[] {
  const taken: Message[] = [];
  /** Substitutes for the calls that have no result so far, in order. */
  let open: ToolMessage[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      const at = open.findIndex(({ toolCallId }) => toolCallId === message.toolCallId);
      if (at < 0) continue;
      taken.push(...open.splice(0, at));
      open.shift();
    }
    if (message.role === "user" || message.role === "assistant") taken.push(...open.splice(0));
    if (message.role === "assistant")
      open = (message.toolCalls ?? []).map((call) => notKeptMessage(call, message.mode, message.createdAt));
    taken.push(message);
  }
  return taken;
}

/** The substitute for a call's lost result. */
export function notKeptMessage({ id, name }: ToolCall, mode: Mode, createdAt: number): ToolMessage {
  const content =
    "not kept: the result of this call is gone. It may have run, in part or whole; look at what it did before running it again.";
  return {
    ...{ id: `${id}.result`, role: "tool", content, createdAt, mode },
    ...{ toolCallId: id, name, ok: false },
  };
}
