// How long hidden events are shown to the model, by subkind (the table of PROTOCOL 2). Applied before every rendering.
import type { EventMessage, Message } from "../../shared/message.ts";

/**
 * `recent`: gone before the last 20 user messages (the table's "dropped on age" and "recent window").
 * `last`: the last 8 of that subkind. `always`: plans' updates. `anchor`: stays, but for trimming with nothing else left.
 */
export type Retention = "recent" | "last" | "always" | "anchor";

const recentUserMessages = 20;
const lastKept = 8;

const retentions: ReadonlyMap<string, Retention> = new Map([
  ["plan_delta", "always"],
  ["mode_switch", "recent"],
  ["tick", "recent"],
  ["cron_fire", "last"],
  ["ide_callback", "recent"],
  ["process_completed", "last"],
  ["tool_decision", "recent"],
  ["verifier_report", "recent"],
]);

/** What becomes of an event; subkinds that are not known are anchors. */
export function retentionOf(message: EventMessage): Retention {
  const { subkind, data } = message.extra.event;
  if (subkind === "tool_decision" && data.decision === "session") return "always";
  return retentions.get(subkind) ?? "anchor";
}

/**
 * The history without events that have had their time. Other messages stay as they are.
 * The last change of mode stays as long as it carries the planning instruction: no other place has it then.
 */
export function compressEvents(history: readonly Message[]): Message[] {
  const windowStart = recentStart(history);
  const instructing = instructingSwitch(history);
  const seen = new Map<string, number>();
  const kept: Message[] = [];
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const message = history[index];
    if (!message) continue;
    if (message.role === "event" && message !== instructing) {
      const retention = retentionOf(message);
      if (retention === "recent" && index < windowStart) continue;
      if (retention === "last") {
        const { subkind } = message.extra.event;
        const count = (seen.get(subkind) ?? 0) + 1;
        seen.set(subkind, count);
        if (count > lastKept) continue;
      }
    }
    kept.push(message);
  }
  return kept.reverse();
}

/** Index of the 20th user message from the end; 0 where there are fewer. */
function recentStart(history: readonly Message[]): number {
  let users = 0;
  for (let index = history.length - 1; index >= 0; index -= 1) {
    if (history[index]?.role !== "user") continue;
    users += 1;
    if (users === recentUserMessages) return index;
  }
  return 0;
}

/** The switch to planning that is in force and carries more than its one line. */
export function instructingSwitch(history: readonly Message[]): EventMessage | undefined {
  const last = history.findLast(
    (message): message is EventMessage =>
      message.role === "event" && message.extra.event.subkind === "mode_switch",
  );
  return last?.extra.event.data.to === "plan" && last.content.includes("\n\n") ? last : undefined;
}
