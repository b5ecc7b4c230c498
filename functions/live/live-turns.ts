// Turns that run in this process, so that a second request can follow or stop them. May be lost at any time: the
// journal is what counts.
import type { DurableEvent, EphemeralEvent, TurnEvent } from "../../shared/event.ts";
import { isDurable } from "../../shared/event.ts";
import { historyDiffers } from "../../shared/history-differs.ts";
import type { AttendanceNews, Steer } from "../../shared/journal.ts";
import type { NotifyOption } from "../../shared/push.ts";
import type { StoredTurn } from "../../shared/turn.ts";
import { EventQueue } from "./event-queue.ts";

interface LiveTurnOptions {
  /** True if another process continues the turn when this one leaves it. */
  handsOver?: boolean;
  /** True if it leaves before its next round once nobody watches it here. */
  leavesUnwatched?: boolean;
  /** Milliseconds that it ran elsewhere before. */
  ranMs?: number;
}

/** A running turn and those who watch it. */
export class LiveTurn {
  readonly attempt: number;
  readonly inputHash: string;
  readonly #options: LiveTurnOptions;
  readonly #detachAfterMs: number;
  readonly #stop = new AbortController();
  readonly #detach = new AbortController();
  readonly #detached = new AbortController();
  readonly #over = new AbortController();
  /** Followers that read the journal, in other requests and processes. */
  #watchersElsewhere = 0;
  #detaching: ReturnType<typeof setTimeout> | undefined;
  readonly #durable: DurableEvent[] = [];
  /** Partial text since the last message and since when the model has been asked, for watchers who join in the middle. */
  #partial: EphemeralEvent[] = [];
  /** What runs now, by its call, for watchers who join in the middle. */
  readonly #running = new Map<string, EphemeralEvent>();
  /** Those checks among them that ran out of time. */
  readonly #cutShort = new Map<string, EphemeralEvent>();
  /** Each reader, with what it already has of the turn. */
  readonly #queues = new Map<EventQueue, StoredTurn>();
  #ended = false;
  #leaving = false;
  #finish: () => void = () => undefined;
  #begin: (begun: boolean) => void = () => undefined;
  /** Resolves when the turn no longer runs here, however it ended. */
  readonly finished: Promise<void>;
  /** Resolves with true once the turn is claimed, with false if the claim was refused. */
  readonly begun: Promise<boolean>;

  /** `detachAfterMs`: how long the turn continues unwatched; Infinity = to its end. */
  constructor(attempt: number, inputHash: string, detachAfterMs: number, options: LiveTurnOptions = {}) {
    this.#options = options;
    this.attempt = attempt;
    this.inputHash = inputHash;
    this.#detachAfterMs = detachAfterMs;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  get signals() {
    return {
      stop: this.#stop.signal,
      detach: this.#detach.signal,
      ranMs: this.#options.ranMs ?? 0,
      handsOver: this.#options.handsOver === true,
      leaves: () => this.#leaving || (this.#options.leavesUnwatched === true && this.#queues.size === 0),
      watched: () => this.isWatched,
    };
  }

  /** Leaves the turn before its next round, so that another process continues it. */
  leave(): void {
    this.#leaving = true;
  }

  /** Somebody reads its stream, here or in another process. */
  get isWatched(): boolean {
    return this.#queues.size > 0 || this.#watchersElsewhere > 0;
  }

  get lastId(): number {
    return this.#durable.at(-1)?.id ?? 0;
  }

  /** Messages that the person sent into the turn so far, in order; one may occur twice. */
  readonly steers: Steer[] = [];

  /** Replaces the notification settings that the turn was posted with. */
  notify: NotifyOption | undefined;
  /** Called when these settings have changed. */
  onNotify: () => void = () => undefined;

  /** Another attempt has taken over. Nothing new begins here, and watchers get the events of that attempt. */
  overtaken = false;

  /** Aborted when this process stops sending events of the turn. */
  get detached(): AbortSignal {
    return this.#detached.signal;
  }

  /** Aborted when the turn no longer runs here. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** The person pressed stop. */
  stop(): void {
    this.#stop.abort();
  }

  /** Takes what the sandbox tells the runner. */
  hear(news: AttendanceNews): void {
    if (news.type === "stop") this.stop();
    if (news.type === "steer") this.steers.push(news);
    if (news.type === "overtaken") this.overtake();
    if (news.type === "notify") {
      this.notify = news.notify;
      this.onNotify();
    }
    if (news.type !== "watchers") return;
    this.#watchersElsewhere = news.count;
    this.detachUnlessWatched();
  }

  /** On a host that must end soon, a turn that nobody has watched for a while is detached. */
  detachUnlessWatched(): void {
    clearTimeout(this.#detaching);
    if (this.isWatched || this.#ended || this.#detachAfterMs === Infinity) return;
    this.#detaching = setTimeout(() => this.detach(), this.#detachAfterMs);
  }

  /** A later attempt runs the turn: watchers here get what that attempt journals. */
  overtake(): void {
    this.overtaken = true;
    this.#detach.abort();
    if (this.#queues.size === 0) this.#detached.abort();
  }

  /** Nothing new may begin: the client has detached. */
  detach(): void {
    this.#detach.abort();
    this.#detached.abort();
  }

  /** The turn is claimed. */
  begin(): void {
    this.#begin(true);
  }

  publish(event: TurnEvent): void {
    if (isDurable(event)) {
      this.#durable.push(event);
      if (event.event === "message") {
        this.#partial = [];
        if (event.data.message.role === "tool") {
          this.#running.delete(event.data.message.toolCallId);
          this.#cutShort.delete(event.data.message.toolCallId);
        }
      }
    } else if (event.event === "tool.started") {
      this.#running.set(event.data.toolCallId, event);
    } else if (event.event === "tool.ended") {
      const { toolCallId, outOfTime } = event.data;
      if (outOfTime) this.#cutShort.set(toolCallId, event);
      else this.#running.delete(toolCallId);
    } else if (event.event === "model.wait") {
      this.#partial = [...this.#partial.filter((other) => other.event !== "model.wait"), event];
    } else if (event.event === "text.delta" || event.event === "reasoning.delta") {
      this.#partial.push(event);
    }
    for (const [queue, stored] of this.#queues) sendTo(queue, stored, event);
  }

  /** Queues the durable events that the client does not have, the text being written and what runs, then everything as it comes. */
  watch(stored: StoredTurn): EventQueue {
    const queue = new EventQueue(() => {
      this.#queues.delete(queue);
      if (this.overtaken && this.#queues.size === 0) this.#detached.abort();
    });
    for (const event of this.#durable) sendTo(queue, stored, event);
    for (const event of [...this.#partial, ...this.#running.values(), ...this.#cutShort.values()])
      queue.push(event);
    if (this.#ended) queue.end();
    else this.#queues.set(queue, stored);
    clearTimeout(this.#detaching);
    return queue;
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#detaching);
    this.#over.abort();
    for (const queue of this.#queues.keys()) queue.end();
    this.#begin(false);
    this.#finish();
  }
}

/**
 * Passes on what the reader does not have. A reader that has another event under an id is told so, and gets nothing
 * more.
 */
function sendTo(queue: EventQueue, { turnId, after, seen }: StoredTurn, event: TurnEvent): void {
  // Events the reader already has are not a gap for it.
  if (queue.ended || (event.event === "gap" && event.data.through <= after)) return;
  if (!isDurable(event) || event.id > after) queue.push(event);
  else if (event.id === after && seen !== undefined && event.seen !== undefined && seen !== event.seen) {
    const differs = historyDiffers({ turnId, after, lastId: event.id });
    queue.push({ event: "interrupted", data: { error: differs.toInfo() } });
    queue.end();
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
