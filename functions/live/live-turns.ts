// Turns that run in this process, so that a second request can follow or stop them. Lossy: the journal is what counts.
import type { DurableEvent, EphemeralEvent, TurnEvent } from "../../shared/event.ts";
import { isDurable } from "../../shared/event.ts";
import type { AttendanceNews } from "../sandbox/client.ts";
import { EventQueue } from "./event-queue.ts";

/** A running turn and those who watch it. */
export class LiveTurn {
  readonly attempt: number;
  readonly inputHash: string;
  readonly #leaveAfterMs: number;
  readonly #stop = new AbortController();
  readonly #leave = new AbortController();
  readonly #gone = new AbortController();
  readonly #over = new AbortController();
  /** How many follow it through the journal, from other requests and processes. */
  #watchersElsewhere = 0;
  #leaving: ReturnType<typeof setTimeout> | undefined;
  readonly #durable: DurableEvent[] = [];
  /** Partial text since the last durable event, for those who join in the middle. */
  #partial: EphemeralEvent[] = [];
  /** Readers, each with the id of the last event that it has already. */
  readonly #queues = new Map<EventQueue, number>();
  #ended = false;
  #finish: () => void = () => undefined;
  #begin: (begun: boolean) => void = () => undefined;
  /** Resolves when the turn runs no more, however it ended. */
  readonly finished: Promise<void>;
  /** Resolves when it is claimed; false = the claim was refused, and nobody hears anything of it here. */
  readonly begun: Promise<boolean>;

  /** `leaveAfterMs`: how long it goes on when nobody watches; Infinity = to its end. */
  constructor(attempt: number, inputHash: string, leaveAfterMs: number) {
    this.attempt = attempt;
    this.inputHash = inputHash;
    this.#leaveAfterMs = leaveAfterMs;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  get signals(): { stop: AbortSignal; leave: AbortSignal } {
    return { stop: this.#stop.signal, leave: this.#leave.signal };
  }

  get lastId(): number {
    return this.#durable.at(-1)?.id ?? 0;
  }

  /** Another attempt runs the turn; nothing new begins here, and who watches here hears that one. */
  overtaken = false;

  /** Aborted when nobody is told of the turn here any more. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Aborted when the turn runs no more here. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** The person pressed stop. */
  stop(): void {
    this.#stop.abort();
  }

  /** What the sandbox tells the runner. */
  hear(news: AttendanceNews): void {
    if (news.type === "stop") this.stop();
    if (news.type === "overtaken") {
      this.overtaken = true;
      this.#leave.abort();
    }
    if (news.type !== "watchers") return;
    this.#watchersElsewhere = news.count;
    this.leaveUnlessWatched();
  }

  /** Where the host has to end soon, a turn that nobody watches for a while is left. */
  leaveUnlessWatched(): void {
    clearTimeout(this.#leaving);
    const watched = this.#queues.size > 0 || this.#watchersElsewhere > 0;
    if (watched || this.#ended || this.#leaveAfterMs === Infinity) return;
    this.#leaving = setTimeout(() => this.leave(), this.#leaveAfterMs);
  }

  /** Nothing new may begin: the client is gone from a host that must end soon, or another attempt has taken over. */
  leave(): void {
    this.#leave.abort();
    this.#gone.abort();
  }

  /** The turn is claimed. */
  begin(): void {
    this.#begin(true);
  }

  publish(event: TurnEvent): void {
    if (isDurable(event)) {
      this.#durable.push(event);
      if (event.event === "message") this.#partial = [];
    } else if (event.event === "text.delta" || event.event === "reasoning.delta") {
      this.#partial.push(event);
    }
    for (const [queue, after] of this.#queues) if (!isDurable(event) || event.id > after) queue.push(event);
  }

  /** Durable events above `after`, the text that is being written, then everything as it comes. */
  watch(after: number): EventQueue {
    const queue = new EventQueue(() => this.#queues.delete(queue));
    for (const event of this.#durable) if (event.id > after) queue.push(event);
    for (const event of this.#partial) queue.push(event);
    if (this.#ended) queue.end();
    else this.#queues.set(queue, after);
    clearTimeout(this.#leaving);
    return queue;
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#leaving);
    this.#over.abort();
    for (const queue of this.#queues.keys()) queue.end();
    this.#begin(false);
    this.#finish();
  }
}

export interface LiveTurns {
  get(sandboxId: string, turnId: string): LiveTurn | undefined;
  add(sandboxId: string, turnId: string, turn: LiveTurn): void;
  /** Forgets `turn`, unless another one has taken its place. */
  remove(sandboxId: string, turnId: string, turn: LiveTurn): void;
}

export function createLiveTurns(): LiveTurns {
  const turns = new Map<string, LiveTurn>();
  const key = (sandboxId: string, turnId: string) => `${sandboxId}/${turnId}`;
  return {
    get: (sandboxId, turnId) => turns.get(key(sandboxId, turnId)),
    add: (sandboxId, turnId, turn) => void turns.set(key(sandboxId, turnId), turn),
    remove(sandboxId, turnId, turn) {
      if (turns.get(key(sandboxId, turnId)) === turn) turns.delete(key(sandboxId, turnId));
    },
  };
}
