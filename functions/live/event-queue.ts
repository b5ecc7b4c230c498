// Events on their way to one reader. A slow reader costs bounded memory: deltas are joined, and above a cap the oldest
// ephemeral events are evicted. Durable events always arrive.
import { isDurable, type TurnEvent } from "../../shared/event.ts";
import * as limits from "../limits.ts";

export class EventQueue {
  #events: TurnEvent[] = [];
  /** Characters in the ephemeral events among them. */
  #ephemeralChars = 0;
  #ended = false;
  #urgent = false;
  readonly #onClose: () => void;

  /** Called after every change, for whoever writes to the reader. */
  onChange: () => void = () => undefined;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get empty(): boolean {
    return this.#events.length === 0;
  }

  /** Whether something other than a piece of text waits. */
  get urgent(): boolean {
    return this.#urgent;
  }

  push(event: TurnEvent): void {
    const last = this.#events.at(-1);
    const joined = last && join(last, event);
    if (joined) this.#events[this.#events.length - 1] = joined;
    else this.#events.push(event);
    this.#ephemeralChars += ephemeralChars(event);
    if (this.#ephemeralChars > limits.queuedChars) this.#evictOldest();
    this.#urgent ||= !isPiece(event);
    this.onChange();
  }

  /** Evicts down to half the cap, so that a flood does not filter the queue at every event. */
  #evictOldest(): void {
    this.#events = this.#events.filter((event) => {
      const chars = ephemeralChars(event);
      if (chars === 0 || this.#ephemeralChars <= limits.queuedChars / 2) return true;
      this.#ephemeralChars -= chars;
      return false;
    });
  }

  end(): void {
    this.#ended = true;
    this.#urgent = true;
    this.onChange();
  }

  /** The reader has detached. */
  close(): void {
    this.#events = [];
    this.#ephemeralChars = 0;
    this.end();
    this.#onClose();
  }

  /** Takes everything that waits. */
  take(): TurnEvent[] {
    const events = this.#events;
    this.#events = [];
    this.#ephemeralChars = 0;
    this.#urgent = this.#ended;
    return events;
  }
}

/** Characters that evicting the event would free; 0 for an event that must arrive. */
function ephemeralChars(event: TurnEvent): number {
  if (isDurable(event)) return 0;
  switch (event.event) {
    case "text.delta":
    case "reasoning.delta":
      return event.data.delta.length;
    case "tool.output":
      return event.data.text.length;
    case "tool.call":
      return event.data.arguments.length;
    default:
      return 0;
  }
}

type Delta = Extract<TurnEvent, { event: "text.delta" | "reasoning.delta" }>;

function isDelta(event: TurnEvent): event is Delta {
  return event.event === "text.delta" || event.event === "reasoning.delta";
}

function isPiece(event: TurnEvent): boolean {
  return isDelta(event) || event.event === "tool.output";
}

/** Two deltas of the same text as one; undefined if they belong to different texts. */
function join(last: TurnEvent, next: TurnEvent): Delta | undefined {
  if (!isDelta(last) || !isDelta(next) || last.event !== next.event) return undefined;
  const { messageId, delta } = next.data;
  if (last.data.messageId !== messageId) return undefined;
  return { event: next.event, data: { messageId, delta: last.data.delta + delta } };
}
