// What a batch of events says beside the state it makes: commands that ended, malformed calls.
import type { TurnEvent } from "../../shared/event.ts";
import type { MalformedCounts } from "../storage/settings.ts";

export function endedCommands(events: readonly TurnEvent[]): number {
  return events.filter(
    (event) =>
      event.event === "message" &&
      event.data.message.role === "tool" &&
      event.data.message.name === "run_command",
  ).length;
}

/** Malformed calls by `provider/model`; undefined where there were none. */
export function malformedIn(events: readonly TurnEvent[]): MalformedCounts | undefined {
  const counts: MalformedCounts = {};
  for (const event of events) {
    if (event.event !== "diagnostic") continue;
    const model = `${event.data.provider}/${event.data.model}`;
    const old = counts[model] ?? { repaired: 0, returned: 0, kinds: {} };
    const end = event.data.repaired ? "repaired" : "returned";
    const { kind } = event.data;
    const kinds = { ...old.kinds, [kind]: (old.kinds?.[kind] ?? 0) + 1 };
    counts[model] = { ...old, [end]: old[end] + 1, kinds };
  }
  return Object.keys(counts).length === 0 ? undefined : counts;
}
