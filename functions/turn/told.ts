// Recorded events in the form that a client gets: with their running hash, and with a `gap` event where some are missing.
import type { DurableEvent, EphemeralEvent, JournalEvent, TurnEvent } from "../../shared/event.ts";
import { historyDiffers } from "../../shared/history-differs.ts";
import { seenAfter } from "../../shared/seen-hash.ts";
import type { CountedHistory, StoredTurn } from "../../shared/turn.ts";
import { durableEvent } from "./replay-log.ts";

export class Told {
  readonly #stored: StoredTurn;
  #lastId = 0;
  /** Unknown from a gap on. */
  #seen: string | undefined = "";

  constructor(stored: StoredTurn) {
    this.#stored = stored;
  }

  /** The next recorded event, and the gap before it, if any. Throws `history_differs` where the client has another. */
  take(recorded: JournalEvent): { event: DurableEvent; gap?: EphemeralEvent } {
    const { turnId, after, seen } = this.#stored;
    const { id } = recorded;
    const from = Math.max(this.#lastId, after) + 1;
    const isNext = id === this.#lastId + 1;
    this.#seen = isNext && this.#seen !== undefined ? seenAfter(this.#seen, recorded) : undefined;
    this.#lastId = id;
    if (id === after && seen !== undefined && this.#seen !== undefined && seen !== this.#seen)
      throw historyDiffers({ turnId, after, lastId: id });
    const made = durableEvent(recorded);
    // It can be the only event the server has: hash it alone, so that every reader gets the same hash.
    const hash = this.#seen ?? (isSetAside(made) ? seenAfter("", recorded) : undefined);
    const event = { ...made, ...(hash === undefined ? {} : { seen: hash }) };
    return isNext || from >= id ? { event } : { event, gap: gap(from, id - 1) };
  }

  /**
   * Throws `history_differs` if the client has more events than exist. `results`: call results recorded since the last event;
   * their messages are sent before they are recorded.
   */
  checkAll(results: number): void {
    const { turnId, after } = this.#stored;
    if (after > this.#lastId + results) throw historyDiffers({ turnId, after, lastId: this.#lastId });
  }
}

/** The events of an ended turn that the client does not have. `counts`: the client's history replaces the server's. */
export function* toldToEnd(
  records: readonly JournalEvent[],
  stored: StoredTurn,
  counts: CountedHistory | undefined,
): Generator<TurnEvent> {
  const last = records.at(-1);
  if (counts === "client" && last && isSetAside(durableEvent(last))) {
    if (last.id > stored.after + 1) yield gap(stored.after + 1, last.id - 1);
    const told = new Told({ ...stored, after: 0 });
    yield* records.map((recorded) => told.take(recorded).event).slice(-1);
    return;
  }
  const told = new Told(stored);
  for (const recorded of records) {
    const { event, gap } = told.take(recorded);
    if (event.id <= stored.after) continue;
    if (gap) yield gap;
    yield event;
    // Only a second ending can follow an ending: it was written for a client that had another history.
    if (event.event === "turn.done" || event.event === "turn.failed") return;
  }
}

function isSetAside(event: DurableEvent): boolean {
  return event.event === "turn.failed" && event.data.error.code === "history_differs";
}

function gap(from: number, through: number): EphemeralEvent {
  const message =
    "The server no longer keeps a part of this turn: messages and results are missing here. What it did is done, and is not repeated.";
  return { event: "gap", data: { from, through, message } };
}
