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

/** Two deltas of the same text as one; undefined where they do not join. */
function join(last: TurnEvent, next: TurnEvent): TurnEvent | undefined {
  if (
    last.event === "text.delta" &&
    next.event === "text.delta" &&
    last.data.messageId === next.data.messageId
  ) {
    return {
      event: "text.delta",
      data: { messageId: next.data.messageId, delta: last.data.delta + next.data.delta },
    };
  }
  if (
    last.event === "reasoning.delta" &&
    next.event === "reasoning.delta" &&
    last.data.messageId === next.data.messageId
  ) {
    return {
      event: "reasoning.delta",
      data: { messageId: next.data.messageId, delta: last.data.delta + next.data.delta },
    };
  }
  return undefined;
}
