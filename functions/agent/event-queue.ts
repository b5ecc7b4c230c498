// Events on their way to one reader. A slow reader costs no more memory than the text itself: deltas are joined.
import type { TurnEvent } from "../../shared/event.ts";

export class EventQueue {
  #events: TurnEvent[] = [];
  #ended = false;
  #wake: (() => void) | undefined;
  readonly #onClose: () => void;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  push(event: TurnEvent): void {
    const last = this.#events.at(-1);
    const joined = last && join(last, event);
    if (joined) this.#events[this.#events.length - 1] = joined;
    else this.#events.push(event);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The reader is gone. */
  close(): void {
    this.#events = [];
    this.end();
    this.#onClose();
  }

  /** Everything that has come, or undefined at the end; an empty list when nothing came within `waitMs`. */
  async take(waitMs: number): Promise<TurnEvent[] | undefined> {
    if (this.#events.length === 0 && !this.#ended) await this.#something(waitMs);
    const events = this.#events;
    this.#events = [];
    return events.length === 0 && this.#ended ? undefined : events;
  }

  #something(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      this.#wake = done;
    });
  }
}

type Delta = Extract<TurnEvent, { event: "text.delta" | "reasoning.delta" }>;

function isDelta(event: TurnEvent): event is Delta {
  return event.event === "text.delta" || event.event === "reasoning.delta";
}

/** Two deltas of the same text as one; undefined where they do not join. */
function join(last: TurnEvent, next: TurnEvent): Delta | undefined {
  if (!isDelta(last) || !isDelta(next) || last.event !== next.event) return undefined;
  const { messageId, delta } = next.data;
  if (last.data.messageId !== messageId) return undefined;
  return { event: next.event, data: { messageId, delta: last.data.delta + delta } };
}
