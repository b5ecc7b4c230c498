// The order of a history in a request: hidden messages never between a call and its results (PROTOCOL 2).
import type { Message } from "../../shared/message.ts";

/**
 * The messages in wire order, system messages left out. A hidden message between a call and its results
 * comes after the last result; a change of mode comes directly before the user message that follows it.
 */
export function wireOrder(history: readonly Message[]): Message[] {
  const ordered: Message[] = [];
  let openResults = 0;
  let held: Message[] = [];
  let switches: Message[] = [];
  const releaseAll = () => {
    ordered.push(...held, ...switches);
    held = [];
    switches = [];
  };
  for (const message of history) {
    switch (message.role) {
      case "system":
        break;
      case "tool":
        ordered.push(message);
        openResults = Math.max(0, openResults - 1);
        break;
      case "assistant":
        releaseAll();
        ordered.push(message);
        openResults = message.toolCalls?.length ?? 0;
        break;
      case "user":
        releaseAll();
        ordered.push(message);
        break;
      case "plan":
      case "event":
        if (message.role === "event" && message.extra.event.subkind === "mode_switch") switches.push(message);
        else if (openResults > 0) held.push(message);
        else ordered.push(...held.splice(0), message);
    }
  }
  releaseAll();
  return ordered;
}
