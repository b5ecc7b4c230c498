// The durable events of one turn, with ids in order: which are journaled, and which must be next. After an
// interruption the turn runs again over its log, and each draft is replaced by the event recorded in its place.

import { HandrailError } from "../../shared/errors.ts";
import type { JournalEvent } from "../../shared/event.ts";
import { type DurableDraft, type DurableEvent, isDurable, parseTurnEvent } from "../../shared/event.ts";
import { historyDiffers } from "../../shared/history-differs.ts";
import { nothingSecret, type Redactor } from "../../shared/redact/redactor.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import { seenAfter } from "../../shared/seen-hash.ts";
import type { StoredTurn } from "../../shared/turn.ts";

/** A journaled event with its keys in schema order, so that its bytes are the same every time. */
export function durableEvent(recorded: JournalEvent): DurableEvent {
  const parsed = parseTurnEvent(recorded.event, recorded.data, recorded.id);
  if (!parsed || !isDurable(parsed)) {
    throw new HandrailError(
      "internal",
      `The journal holds an event \`${recorded.event}\` that this version does not know. Update Handrail.`,
    );
  }
  return parsed;
}

export class ReplayLog {
  readonly #recorded = new Map<number, JournalEvent>();
  readonly #results = new Map<string, CallResult>();
  readonly #begun = new Set<string>();
  /** Ids of events that follow from journaled results, so that any run of the turn makes the same ones. */
  readonly #implied = new Set<number>();
  #unrecorded: DurableEvent[] = [];
  readonly #unsent: DurableEvent[] = [];
  #lastId = 0;
  #seen = "";
  /** Characters of all data staged so far. */
  chars = 0;

  /** The events that the client which posted the turn already has. */
  readonly #stored: StoredTurn | undefined;
  readonly #own: Redactor;

  /** `own`: redacts our own keys and the person's from everything that is staged, above all tool results. */
  constructor(
    records: readonly JournalEvent[],
    results: readonly CallResult[],
    { stored, own = nothingSecret }: { stored?: StoredTurn | undefined; own?: Redactor } = {},
  ) {
    this.#stored = stored;
    this.#own = own;
    for (const record of records) this.#recorded.set(record.id, record);
    for (const result of results) this.#results.set(result.key, result);
  }

  /**
   * Gives a draft its id. A recorded event of that id replaces it. `implied`: it follows from recorded results. Throws
   * `history_differs` if the client has another event of that id.
   */
  stage(draft: DurableDraft, implied = false): DurableEvent {
    const id = this.#lastId + 1;
    const recorded = this.#recorded.get(id);
    const text = recorded ? JSON.stringify(recorded.data) : this.#own.redact(JSON.stringify(draft.data));
    const made = durableEvent(recorded ?? { id, event: draft.event, data: JSON.parse(text) });
    this.#seen = seenAfter(this.#seen, recorded ?? made);
    const event = { ...made, seen: this.#seen };
    const stored = this.#stored;
    if (id === stored?.after && stored.seen !== undefined && stored.seen !== this.#seen)
      throw historyDiffers(difference(stored, id - 1));
    this.chars += text.length;
    this.#lastId = id;
    if (implied) this.#implied.add(id);
    if (!recorded) this.#unrecorded.push(event);
    this.#unsent.push(event);
    return event;
  }

  /** The recorded event that comes next, or undefined at the journal's end. */
  peek(): DurableEvent | undefined {
    const recorded = this.#recorded.get(this.#lastId + 1);
    return recorded ? durableEvent(recorded) : undefined;
  }

  /** Throws `history_differs` if the client has seen more than the staged events plus `results`. */
  checkSeen(results = 0): void {
    const stored = this.#stored;
    if (stored && stored.after > this.#lastId + results)
      throw historyDiffers(difference(stored, this.#lastId));
  }

  /** What the next request to the sandbox has to journal. */
  get unrecorded(): readonly DurableEvent[] {
    return this.#unrecorded;
  }

  /**
   * Takes the staged events that may be sent. An event that another run of this turn could make differently waits until
   * it is recorded, and so does everything after it.
   */
  takeUnsent(): DurableEvent[] {
    const waiting = this.#unsent.findIndex(({ id }) => !this.#recorded.has(id) && !this.#implied.has(id));
    return this.#unsent.splice(0, waiting < 0 ? this.#unsent.length : waiting);
  }

  /** The sandbox has journaled everything up to the event `id`. */
  markRecorded(id: number): void {
    for (const event of this.#unrecorded) if (event.id <= id) this.#recorded.set(event.id, event);
    this.#unrecorded = this.#unrecorded.filter((event) => event.id > id);
  }

  result(key: string): CallResult | undefined {
    return this.#results.get(key);
  }

  /** The sandbox said that the call of this key begins, or began in an earlier run of this turn. */
  markBegun(key: string): void {
    this.#begun.add(key);
  }

  /** Whether the call of this key ran, completely or in part. A withheld result may be a refusal to begin it. */
  began(key: string): boolean {
    const result = this.#results.get(key);
    if (this.#begun.has(key) || !result) return this.#begun.has(key);
    return !gaveWay(result) && (result.hold !== true || result.value !== undefined);
  }

  addResult(result: CallResult): void {
    this.#results.set(result.key, result);
  }

  get lastId(): number {
    return this.#lastId;
  }
}

/** Whether the call never began, because the person said something first. */
export function gaveWay({ error }: CallResult): boolean {
  return error?.code === "not_run";
}

function difference(
  { turnId, after }: StoredTurn,
  lastId: number,
): { turnId: string; after: number; lastId: number } {
  return { turnId, after, lastId };
}
