// Commands that ran in auto mode without asking, since the person's last message. Pure.
import * as z from "zod/mini";
import { commandRan } from "./call-facts.ts";
import type { Entry } from "./session-state.ts";

const Arguments = z.object({ command: z.string() });

interface Unasked {
  /** In the order in which they ended. */
  commands: string[];
  /**
   * The turns in which they may have run: a turn that begins with a decision or an answer continues the previous one.
   */
  turnIds: ReadonlySet<string>;
}

export function ranUnasked(entries: readonly Entry[]): Unasked {
  const said = entries.findLast((entry) => entry.event === "message" && entry.data.message.role === "user");
  const from = entries.findIndex(({ turnId }) => turnId === said?.turnId);
  const commands = new Map<string, string>();
  const asked = new Set<string>();
  const ran: string[] = [];
  const since = entries.slice(Math.max(from, 0));
  for (const entry of since) {
    if (entry.event === "permission") asked.add(entry.data.toolCallId);
    if (entry.event !== "message") continue;
    const { message } = entry.data;
    if (message.role === "assistant")
      for (const call of message.toolCalls ?? []) commands.set(call.id, commandOf(call.arguments));
    else if (message.role === "tool" && message.mode === "auto" && commandRan(message)) {
      const command = commands.get(message.toolCallId);
      if (command !== undefined && !asked.has(message.toolCallId)) ran.push(command);
    }
  }
  return { commands: ran, turnIds: new Set(since.map(({ turnId }) => turnId)) };
}

function commandOf(json: string): string {
  try {
    return z.parse(Arguments, JSON.parse(json)).command;
  } catch {
    return json;
  }
}
