// Gathers what a stream brings until the next frame: one change of state for many events.
import type { TurnEvent } from "../../shared/event.ts";

export class EventBuffer {
  #events: TurnEvent[] = [];

  /** `inNextFrame` calls back once; `onEvents` gets what came since, never an empty list. */
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
