// One session while the app holds it: takes up, sends, follows and stops turns. Knows no components.
import { batch, signal } from "@preact/signals";
import type { HandrailError } from "../../shared/errors.ts";
import { isDurable, type TurnEvent } from "../../shared/event.ts";
import type { Mode } from "../../shared/mode.ts";
import { reduce } from "../../shared/session/reduce.ts";
import { dropLive, type SessionState, withMode } from "../../shared/session/session-state.ts";
import type { SessionSummary } from "../../shared/session/session-summary.ts";
import type { TurnInput } from "../../shared/turn.ts";
import { type Draft, readDraft } from "../storage/draft.ts";
import { type OutboxTurn, readOutbox } from "../storage/outbox.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { isSameState, loadSession, withoutEarlier } from "../storage/session-store.ts";
import { addMalformed } from "../storage/settings.ts";
import { type Connection, summaryOver } from "../turn/connection.ts";
import { runTurn, type TurnRunnerDeps } from "../turn/turn-runner.ts";
import { endedCommands, malformedIn } from "./batch-facts.ts";
import { EventBuffer } from "./event-buffer.ts";
import { givenBack } from "./given-back.ts";
import { KeptSession } from "./kept-session.ts";
import { newTurn } from "./new-turn.ts";
import type { OpenSessionDeps } from "./open-session-deps.ts";
import { titleFrom } from "./session-title.ts";
import { addCost, loadSpending, spendLimitNow } from "./spending.ts";
import { turnRequests } from "./turn-link.ts";
import { maxContinues, whatFollows } from "./what-follows.ts";

const caughtUpMs = 10_000;
const stopAgainMs = 3_000;
/** Between the word that a turn has stopped and its end on the own stream: longer, and its runner is elsewhere. */
const stoppedStreamMs = 300;

export class OpenSession extends KeptSession {
  readonly connection = signal<Connection>({ kind: "idle" });
  /** False in a tab that reads along: it neither sends nor stores. */
  readonly writes = signal(false);
  readonly unreadable = signal(0);
  readonly #buffer: EventBuffer;
  #run: AbortController | null = null;
  #continues = 0;
  #away = false;
  #next: (() => void) | null = null;
  /** Gives up what is open of the turn, which is then asked for again. */
  #doubt: () => void = () => undefined;

  private constructor(
    private readonly deps: OpenSessionDeps,
    record: SessionRecord,
    state: SessionState,
  ) {
    super(deps, record, state);
    this.#buffer = new EventBuffer(deps.page.inNextFrame, (events) => this.#receive(events));
  }

  /** The session as stored; undefined where there is none. It writes only from `becomeWriter` on. */
  static async load(deps: OpenSessionDeps, id: string): Promise<OpenSession | undefined> {
    const { kv } = deps;
    // Asked for together: one after the other, each would wait for its turn of a busy main thread.
    const [loaded, draft, outbox] = await Promise.all([
      loadSession(kv, id),
      readDraft(kv, id),
      readOutbox(kv, id),
      loadSpending(kv),
    ]);
    if (loaded === undefined) return undefined;
    const session = new OpenSession(deps, loaded.record, loaded.state);
    session.unreadable.value = loaded.unreadable;
    session.draft.value = draft;
    session.outbox.value = outbox;
    return session;
  }

  /** Reads again what another tab stored. `all`: also where more was heard of that tab than it has stored. */
  async reload(all = false): Promise<void> {
    const { id } = this.record.value;
    const { kv } = this.deps;
    const [loaded, outbox] = await Promise.all([loadSession(kv, id), readOutbox(kv, id)]);
    if (loaded !== undefined && this.writes.value) this.adopt(loaded.record);
    if (loaded === undefined || this.writes.value) return;
    batch(() => {
      this.record.value = loaded.record;
      this.outbox.value = outbox;
      // What was heard from the other tab may be newer than what that one has stored.
      const heard = loaded.state.head.entryCount < this.state.value.head.entryCount;
      const known = isSameState(loaded.state, this.state.value);
      if (!known && (all || !heard)) this.state.value = { ...loaded.state, live: this.state.value.live };
    });
    this.keepFrom(loaded.state);
  }

  /** What the writing tab hears, so that this one follows live. It stores nothing. */
  hear(events: readonly TurnEvent[]): void {
    if (!this.writes.value) this.state.value = events.reduce(reduce, this.state.value);
  }

  /** This tab writes from now on: it takes up the turn that was under way. */
  async becomeWriter(): Promise<void> {
    // What was heard and is not stored comes again with the stream.
    await this.reload(true);
    batch(() => {
      this.state.value = dropLive(this.state.value);
      this.writes.value = true;
      this.connection.value = { kind: "idle" };
    });
    const { turn } = this.outbox.value;
    const { turn: last } = this.state.value.head;
    // Its last event was stored, and then the page went away before the outbox was.
    if (turn !== null && turn.turnId === last?.id && last.status !== "running") await this.#finished();
    else if (turn !== null) this.#start(turn, true);
  }

  becomeReader(): void {
    this.#run?.abort();
    batch(() => {
      this.writes.value = false;
      this.connection.value = { kind: "elsewhere" };
    });
  }

  /**
   * Posts a turn with `input`. One turn at a time: false while another is under way or another tab writes.
   * `clears`: what of the draft this input was; it goes only once the outbox holds it.
   */
  send(input: TurnInput, options: { mode?: Mode; clears?: Partial<Draft> } = {}): boolean {
    if (this.outbox.value.turn !== null || !this.writes.value) return false;
    const held = this.storageError.value === null ? withoutEarlier(this.state.value) : this.state.value;
    const state = options.mode === undefined ? held : withMode(held, options.mode);
    const { model } = this.record.value;
    const spendLimit = spendLimitNow(this.deps.now(), state.head.spent.cost);
    const asked = { spendLimit, serves: this.deps.serves(), model };
    const turn = newTurn(this.deps.newId(), input, state, this.draft.value, asked);
    const first = state.head.saidCount === 0 && input.type === "message";
    batch(() => {
      this.state.value = state;
      this.setTurn(turn);
      this.changeRecord(first ? { title: titleFrom(input.text) } : {});
    });
    const { clears } = options;
    if (clears !== undefined) {
      this.draft.value = { ...this.draft.value, ...clears };
      void this.save().then(() => this.saveDraft());
    }
    this.#start(turn, false);
    return true;
  }

  /** Asks the engine to stop the turn; its end arrives as an event like any other. */
  async stop(): Promise<void> {
    const { turn } = this.outbox.value;
    if (turn === null) return;
    this.#continues = maxContinues;
    const { api, page } = this.deps;
    // Without a connection it is asked again: who pressed Stop does not press it for this moment alone.
    while (this.outbox.value.turn?.turnId === turn.turnId) {
      try {
        await api.stopTurn(this.record.value.sandboxId, turn.turnId);
        // A runner that nobody could tell says it only when the model has answered: the journal knows it now.
        await page.sleep(stoppedStreamMs, new AbortController().signal);
        if (this.outbox.value.turn?.turnId === turn.turnId) this.#doubt();
        return;
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        const over = new AbortController();
        await Promise.race([page.sleep(stopAgainMs, over.signal), page.wake(over.signal)]);
        over.abort();
      }
    }
  }

  protected override summary(): SessionSummary {
    const unheard = this.outbox.value.turn !== null && !this.begun.value;
    return summaryOver(this.connection.value, super.summary(), unheard);
  }

  /** Ends what runs, then sends `input` in `mode`; at once where nothing runs. */
  async stopThen(input: TurnInput, mode: Mode): Promise<void> {
    if (this.outbox.value.turn === null) {
      this.send(input, { mode });
      return;
    }
    this.#next = () => this.send(input, { mode });
    await this.stop();
  }

  #start(turn: OutboxTurn, resumed: boolean): void {
    this.#run?.abort();
    const run = new AbortController();
    this.#run = run;
    this.#away = resumed;
    const { kv, api, page } = this.deps;
    const { id: sessionId, sandboxId } = this.record.value;
    const current = () => {
      this.#buffer.flush();
      return this.state.value;
    };
    const markSent = (attempt: number) => {
      this.setTurn({ ...turn, attempt, state: "sent" });
      return this.save();
    };
    const deps: TurnRunnerDeps = {
      ...page,
      doubt: (over) => Promise.race([page.doubt(over), this.#doubted()]),
      ...turnRequests({ sessionId, sandboxId, kv, api, current, markSent }, turn),
      onEvents: (events) => this.#buffer.push(events),
      onConnection: (connection) => this.#connected(connection),
    };
    void runTurn(deps, turn.attempt, run.signal).then(async (outcome) => {
      if (run.signal.aborted || outcome.kind === "left") return;
      this.#buffer.flush();
      if (outcome.kind === "refused") this.#refused(turn, outcome.error);
      else await this.#finished();
    });
  }

  #doubted(): Promise<void> {
    return new Promise((resolve) => {
      this.#doubt = resolve;
    });
  }

  #connected(connection: Connection): void {
    if (connection.kind === "reconnecting" || connection.kind === "offline") {
      this.#away = true;
      this.state.value = dropLive(this.state.value);
    }
    const { updatedAt } = this.record.value;
    this.connection.value = connection;
    this.changeRecord({ updatedAt });
  }

  #receive(events: readonly TurnEvent[]): void {
    this.deps.onEvents(this.record.value.id, events);
    const { cost } = this.state.value.head.spent;
    batch(() => {
      this.state.value = events.reduce(reduce, this.state.value);
      if (events.some(isDurable)) {
        this.changeRecord({});
        void this.save();
      }
      if (this.#away && this.connection.value.kind === "live") this.#caughtUp(endedCommands(events));
      this.#away = false;
    });
    const more = this.state.value.head.spent.cost - cost;
    if (more > 0)
      void addCost(this.deps.kv, this.deps.now(), more).catch((error) => this.storageFailed(error));
    const malformed = malformedIn(events);
    if (malformed !== undefined)
      void addMalformed(this.deps.kv, malformed).catch((error) => this.storageFailed(error));
  }

  /** Said for a while, where there is something to say. */
  #caughtUp(commands: number): void {
    if (commands === 0) return;
    this.connection.value = { kind: "caught-up", commands };
    void this.deps.page.sleep(caughtUpMs, new AbortController().signal).then(() => {
      if (this.connection.value.kind !== "caught-up") return;
      this.connection.value = { kind: this.outbox.value.turn === null ? "idle" : "live" };
    });
  }

  async #finished(): Promise<void> {
    const edit = this.draft.value.planEdit;
    if (edit !== null && edit.hash !== this.state.value.head.plan?.hash) this.setDraft({ planEdit: null });
    batch(() => {
      this.setTurn(null);
      if (this.connection.value.kind !== "caught-up") this.connection.value = { kind: "idle" };
      this.changeRecord({});
    });
    await this.save();
    this.#goOn();
  }

  /** What follows by itself: what a stop was for, a message that was queued, the rest of a long run. */
  #goOn(): void {
    const then = this.#next;
    this.#next = null;
    if (then !== null) {
      then();
      return;
    }
    const { queue } = this.outbox.value;
    const input = whatFollows(this.state.value, queue, this.#continues);
    this.#continues = input?.type === "continue" ? this.#continues + 1 : 0;
    if (input === undefined) return;
    if (input.type === "message") this.setQueue(queue.slice(1));
    this.send(input);
  }

  #refused(turn: OutboxTurn, error: HandrailError): void {
    batch(() => {
      this.setTurn(null);
      this.connection.value = { kind: "refused", error };
      this.changeRecord({});
    });
    void this.save();
    this.setDraft(givenBack(turn.input, this.draft.value));
  }
}
