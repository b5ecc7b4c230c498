// The journal of one turn and the state that follows from it: epoch, last event, stopped, finished. Runs
// nothing.

import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import type { JournalEvent } from "../../shared/event.ts";
import { journalCopied } from "../../shared/history-differs.ts";
import { isObject } from "../../shared/is-record.ts";
import { Steer } from "../../shared/journal.ts";
import { seenAfter } from "../../shared/seen-hash.ts";
import { steerMessageId } from "../../shared/turn.ts";
import { Attendance } from "./attendance.ts";
import type { JournalFile } from "./journal-file.ts";
import { damagedError, type StoredLine } from "./journal-lines.ts";

const MessageIdOf = z.object({ message: z.object({ id: z.string() }) });

export class TurnLog {
  readonly id: string;
  readonly file: JournalFile;
  /** Highest epoch claimed; 0 = never. */
  epoch = 0;
  inputHash: string | undefined;
  /** From the first claim that has one. It is stored but not interpreted here. */
  context: unknown;
  /** How the plan was to be run when the turn was first claimed. */
  run: unknown;
  /** Position of the first claim among the lines of all turns; Infinity before it. */
  openedAt = Number.POSITIVE_INFINITY;
  lastEventId = 0;
  /** Running hash up to each event id, to recognize repeated events. Ids after a gap are missing. */
  readonly #seen = new Map<number, string>();
  /**
   * Results since the last record. A tool message is sent as soon as its result is on the disk, and recorded
   * later.
   */
  resultsAfter = 0;
  stopped = false;
  finished = false;
  /** Messages that the person sent into the turn, by id, and whether the turn's history contains them. */
  readonly #steers = new Map<string, Steer & { taken: boolean }>();
  /** A runner has claimed it. A batch of calls that names the turn does not count. */
  opened = false;
  /** True if its details are no longer kept; see compact.ts. */
  compacted = false;
  /** The last claimer attends the turn, so without attendance no one runs it. */
  attends = false;
  readonly attendance = new Attendance();
  /** A line of its journal is lost, so it cannot be continued. */
  damaged = false;
  /**
   * Identifies the journal file in which the turn began, or in which the person decided to continue it; see
   * JournalFile.
   */
  #begunIn: string | undefined;
  /** true = posted with the person's own model key. */
  ownKey = false;

  constructor(id: string, file: JournalFile) {
    this.id = id;
    this.file = file;
  }

  /** Resets everything and applies `lines`. */
  reload(lines: readonly StoredLine[]): void {
    this.epoch = 0;
    this.inputHash = undefined;
    this.#begunIn = undefined;
    this.context = undefined;
    this.run = undefined;
    this.openedAt = Number.POSITIVE_INFINITY;
    this.lastEventId = 0;
    this.#seen.clear();
    this.#steers.clear();
    this.resultsAfter = 0;
    this.stopped = this.finished = this.opened = this.compacted = this.damaged = this.attends = false;
    this.ownKey = false;
    for (const line of lines) this.apply(line);
  }

  /** Applies one line, new or read from the disk. */
  apply(line: StoredLine): void {
    if (typeof line.file === "string") this.#begunIn = line.file;
    if (line.type === "compacted") this.compacted = true;
    else if (line.type === "lost") this.damaged = true;
    else if (line.type === "claim") {
      if (!this.opened && line.implied !== true) {
        this.opened = true;
        if (typeof line.n === "number") this.openedAt = line.n;
        this.run = line.run;
      }
      this.attends = line.attends === true;
      if (line.ownKey === true) this.ownKey = true;
      if (typeof line.epoch === "number") this.epoch = Math.max(this.epoch, line.epoch);
      if (typeof line.inputHash === "string") this.inputHash = line.inputHash;
      this.context ??= line.context;
    } else if (line.type === "stop") {
      this.stopped = true;
    } else if (line.type === "steer") {
      const steer = z.safeParse(Steer, line);
      if (steer.success) this.#steers.set(steer.data.id, { ...steer.data, taken: false });
    } else if (line.type === "result") {
      this.resultsAfter += 1;
    } else if (line.type === "record") {
      this.resultsAfter = 0;
      for (const event of eventsOf(line)) {
        const before = this.seenAt(event.id - 1);
        if (before !== undefined) this.#seen.set(event.id, seenAfter(before, event));
        this.lastEventId = event.id;
        this.#takeSteer(event);
        if (isEnd(event)) this.finished = true;
      }
    }
  }

  #takeSteer({ event, data }: JournalEvent): void {
    if (event !== "message" || this.#steers.size === 0) return;
    const said = z.safeParse(MessageIdOf, data);
    for (const steer of this.#steers.values())
      if (said.data?.message.id === steerMessageId(this.id, steer.id)) steer.taken = true;
  }

  /** The message that the person sent into the turn under this id. */
  steer(id: string): Steer | undefined {
    return this.#steers.get(id);
  }

  /** Messages of the person that the turn's history does not contain yet, in order. */
  get openSteers(): Steer[] {
    return [...this.#steers.values()].flatMap(({ taken, ...steer }) => (taken ? [] : [steer]));
  }

  /** The running hash up to the event `id`; undefined if it is not known or no longer kept. */
  seenAt(id: number): string | undefined {
    return id === 0 ? "" : this.#seen.get(id);
  }

  /** Whether the journal contains exactly these `events`. */
  holds(events: readonly JournalEvent[]): boolean {
    return events.every((event) => {
      const before = this.seenAt(event.id - 1);
      return before !== undefined && this.seenAt(event.id) === seenAfter(before, event);
    });
  }

  /**
   * Whether this journal is a copy (moved here or restored) of one in which the turn had not ended. It lacks
   * calls that ran after the copy was made, and these would run again.
   */
  get copied(): boolean {
    const { opened, finished, stopped, damaged } = this;
    const over = !opened || finished || stopped || damaged;
    return !over && this.#begunIn !== undefined && this.#begunIn !== this.file.own;
  }

  /**
   * Throws `history_differs` if only the person can decide whether the turn continues. `after`: the last
   * event that the client has.
   */
  checkCopied(after = 0): void {
    if (this.copied) throw journalCopied({ turnId: this.id, after, lastId: this.lastEventId });
  }

  /** Throws if a runner of `epoch` must not add to this turn any more. */
  checkRunner(epoch: number): void {
    if (this.damaged) throw damagedError();
    this.checkCopied();
    if (epoch < this.epoch) {
      throw new HandrailError(
        "stale_epoch",
        "Another attempt of this turn has taken over. Follow its events instead.",
        {
          details: { epoch: this.epoch },
        },
      );
    }
    if (this.finished) {
      throw new HandrailError("turn_finished", "This turn has ended. Send a new turn.", {
        details: { stopped: this.stopped },
      });
    }
  }

  /**
   * Throws unless `events` may be journaled next: their ids must continue without a gap, and a stopped turn
   * accepts only its ending.
   */
  checkEvents(events: readonly JournalEvent[]): void {
    events.forEach((event, index) => {
      if (event.id === this.lastEventId + 1 + index) return;
      throw new HandrailError(
        "invalid_request",
        "record: ids must continue from the last one in the journal.",
        {
          details: { lastId: this.lastEventId },
        },
      );
    });
    if (this.stopped && !isStoppedEnding(events)) throw stoppedError();
    const early = events.slice(0, -1).find(isEnd);
    if (early) throw new HandrailError("invalid_request", `record: nothing may follow ${early.event}.`);
  }
}

/** Claimed turns, in the order of their claims. */
export function inOrder(turns: Iterable<TurnLog>): TurnLog[] {
  return [...turns].filter(({ opened }) => opened).sort((a, b) => a.openedAt - b.openedAt);
}

export function stoppedError(): HandrailError {
  return new HandrailError("turn_finished", "This turn was stopped. Only its ending may still be recorded.", {
    details: { stopped: true },
  });
}

/** Whether a record ends a stopped turn: `turn.done` with the reason `stopped`. */
export function isStoppedEnding(events: readonly JournalEvent[]): boolean {
  const last = events.at(-1);
  return last?.event === "turn.done" && isObject(last.data) && last.data.reason === "stopped";
}

/** Whether `events` end a turn whose work does not continue with a decision of the person. */
export function endsWork(events: readonly JournalEvent[]): boolean {
  const last = events.at(-1);
  if (last?.event !== "turn.done") return last?.event === "turn.failed";
  return isObject(last.data) && (last.data.reason === "stop" || last.data.reason === "stopped");
}

function isEnd({ event }: JournalEvent): boolean {
  return event === "turn.done" || event === "turn.failed";
}

/** The events of a `record` line. */
export function eventsOf(line: StoredLine): JournalEvent[] {
  return Array.isArray(line.events) ? line.events.filter(isEvent) : [];
}

function isEvent(value: unknown): value is JournalEvent {
  return isObject(value) && "id" in value && "event" in value;
}
