// Commands of the newest turn that ran in auto mode without a question to the person. Pure.
import * as z from "zod/mini";
import { commandRan } from "./call-facts.ts";
import type { Entry } from "./session-state.ts";

const Arguments = z.object({ command: z.string() });

/** In the order in which they ended; empty where the turn was in another mode. */
export function ranUnasked(entries: readonly Entry[]): string[] {
  const turnId = entries.at(-1)?.turnId;
  const commands = new Map<string, string>();
  const asked = new Set<string>();
  const ran: string[] = [];
  for (const entry of entries) {
    if (entry.turnId !== turnId) continue;
    if (entry.event === "permission") asked.add(entry.data.toolCallId);
    if (entry.event !== "message") continue;
    const { message } = entry.data;
    if (message.role === "assistant")
      for (const call of message.toolCalls ?? []) commands.set(call.id, commandOf(call.arguments));
    else if (message.role === "tool" && message.mode === "auto" && commandRan(message)) {
      const command = commands.get(message.toolCallId);
      // A call that the person decided on comes from an earlier turn.
      if (command !== undefined && !asked.has(message.toolCallId)) ran.push(command);
    }
  }
  return ran;
}

function commandOf(json: string): string {
  try {
    return z.parse(Arguments, JSON.parse(json)).command;
  } catch {
    return json;
  }
}
