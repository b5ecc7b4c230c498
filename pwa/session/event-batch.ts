// Collects the events of a stream until the next frame, so that many of them change the state only once. Also counts
// the ended commands and the malformed calls in a batch.
import type { TurnEvent } from "../../shared/event.ts";
import type { MalformedCounts } from "../storage/settings.ts";

export class EventBuffer {
  #events: TurnEvent[] = [];

  /** `inNextFrame` calls back once; `onEvents` gets the events since the last call, never an empty list. */
  constructor(
    private readonly inNextFrame: (flush: () => void) => void,
    private readonly onEvents: (events: readonly TurnEvent[]) => void,
  ) {}

  push(events: readonly TurnEvent[]): void {
    if (this.#events.length === 0) this.inNextFrame(() => this.flush());
    this.#events.push(...events);
  }

  flush(): void {
    const events = this.#events;
    if (events.length === 0) return;
    this.#events = [];
    this.onEvents(events);
  }
}

export function endedCommands(events: readonly TurnEvent[]): number {
  return events.filter(
    (event) =>
      event.event === "message" &&
      event.data.message.role === "tool" &&
      event.data.message.name === "run_command",
  ).length;
}

/** Malformed calls by `provider/model`; undefined if there were none. */
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
