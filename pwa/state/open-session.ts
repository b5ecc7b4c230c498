// One session while the app holds it: its signals, folding events in, storing, sending. Knows no components.
import { batch, signal } from "@preact/signals";
import { HandrailError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import { isDurable } from "../../shared/event.ts";
import type { Mode } from "../../shared/mode.ts";
import { messagesOf } from "../../shared/session/history.ts";
import { reduce } from "../../shared/session/reduce.ts";
import { dropLive, type SessionState, withMode } from "../../shared/session/session-state.ts";
import { sessionSummary } from "../../shared/session/session-summary.ts";
import { buildTurnRequest } from "../../shared/session/turn-request.ts";
import { waitingFor } from "../../shared/session/waiting.ts";
import type { TurnInput } from "../../shared/turn.ts";
import type { Api } from "../api/client.ts";
import { type Draft, emptyDraft, readDraft, writeDraft } from "../storage/draft.ts";
import type { Kv } from "../storage/kv.ts";
import { emptyOutbox, type Outbox, type OutboxTurn, readOutbox } from "../storage/outbox.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { loadEarlier, loadSession } from "../storage/session-store.ts";
import { addMalformed } from "../storage/settings.ts";
import type { Connection } from "../turn/connection.ts";
import { runTurn, type TurnRunnerDeps } from "../turn/turn-runner.ts";
import { SessionKeeper } from "./session-keeper.ts";
import { titleFrom } from "./session-title.ts";

export interface OpenSessionDeps {
  kv: Kv;
  api: Api;
  now(): number;
  newId(): string;
  page: Pick<TurnRunnerDeps, "sleep" | "wake" | "doubt" | "isOnline"> & { inNextFrame(flush: () => void): void };
  /** The record changed: the list shows it. */
  onRecord(record: SessionRecord): void;
  /** What was stored may be read by other tabs. */
  onSaved(sessionId: string): void;
}

/** Rounds of `continue` that are sent without asking: a run of that many budgets is a loop. */
const maxContinues = 20;

export class OpenSession {
  readonly record;
  readonly state;
  readonly outbox = signal<Outbox>(emptyOutbox);
  readonly draft = signal<Draft>(emptyDraft);
  readonly connection = signal<Connection>({ kind: "idle" });
  readonly writes = signal(false);
  /** Set while storage does not take what happens: it is on the screen and nowhere else. */
  readonly storageError = signal<string | null>(null);
  readonly unreadable = signal(0);
  #keeper: SessionKeeper;
  #run: AbortController | null = null;
  #buffer: TurnEvent[] = [];
  #continues = 0;
  #away = false;
  #next: (() => void) | null = null;
  #draftTimer: ReturnType<typeof setTimeout> | undefined;

  private constructor(
    private readonly deps: OpenSessionDeps,
    record: SessionRecord,
    state: SessionState,
  ) {
    this.record = signal(record);
    this.state = signal(state);
    this.#keeper = this.#newKeeper(state);
  }

  /** The session as stored; undefined where there is none. It neither sends nor stores before `becomeWriter`. */
  static async load(deps: OpenSessionDeps, id: string): Promise<OpenSession | undefined> {
    const loaded = await loadSession(deps.kv, id);
    if (loaded === undefined) return undefined;
    const session = new OpenSession(deps, loaded.record, loaded.state);
    session.unreadable.value = loaded.unreadable;
    session.draft.value = await readDraft(deps.kv, id);
    session.outbox.value = await readOutbox(deps.kv, id);
    return session;
  }

  /** Reads again what another tab stored. */
  async reload(): Promise<void> {
    const loaded = await loadSession(this.deps.kv, this.record.value.id);
    const outbox = await readOutbox(this.deps.kv, this.record.value.id);
    if (loaded === undefined || this.writes.value) return;
    batch(() => {
      this.record.value = loaded.record;
      this.state.value = loaded.state;
      this.outbox.value = outbox;
    });
    this.#keeper = this.#newKeeper(loaded.state);
  }

  /** This tab writes from now on: it takes up the turn that was under way. */
  async becomeWriter(): Promise<void> {
    await this.reload();
    batch(() => {
      this.writes.value = true;
      this.connection.value = { kind: "idle" };
    });
    const turn = this.outbox.value.turn;
    if (turn !== null) this.#start(turn, true);
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
    const state = options.mode === undefined ? this.state.value : withMode(this.state.value, options.mode);
    const { head } = state;
    const edit = this.draft.value.planEdit;
    const edited = edit !== null && head.plan?.hash === edit.hash && head.plan.version === edit.version;
    const turn: OutboxTurn = {
      turnId: this.deps.newId(),
      attempt: 0,
      state: "queued",
      mode: head.mode,
      model: null,
      plan: head.plan === null || !edited ? head.plan : { ...head.plan, markdown: edit.markdown },
      input,
      toolProtocol: head.toolProtocol,
      historyCount: head.entryCount,
    };
    batch(() => {
      this.state.value = state;
      this.outbox.value = { ...this.outbox.value, turn };
      this.#changeRecord(
        head.saidCount === 0 && input.type === "message" ? { title: titleFrom(input.text) } : {},
      );
    });
    const { clears } = options;
    if (clears !== undefined) {
      this.draft.value = { ...this.draft.value, ...clears };
      void this.#keeper.save().then(() => this.setDraft({}));
    }
    this.#start(turn, false);
    return true;
  }

  setMode(mode: Mode): void {
    this.state.value = withMode(this.state.value, mode);
    void this.#keeper.save();
  }

  enqueue(text: string): void {
    const { queue } = this.outbox.value;
    this.#setQueue([...queue, { id: this.deps.newId(), text }]);
  }

  unqueue(id: string): void {
    this.#setQueue(this.outbox.value.queue.filter((message) => message.id !== id));
  }

  rename(title: string): void {
    this.#changeRecord({ title: title.trim() === "" ? this.record.value.title : title.trim() });
    void this.#keeper.save();
  }

  /** Changes the draft on the screen at once and in storage soon: not one write per key. */
  setDraft(change: Partial<Draft>): void {
    this.draft.value = { ...this.draft.value, ...change };
    clearTimeout(this.#draftTimer);
    this.#draftTimer = setTimeout(() => void this.saveDraft(), 200);
  }

  /** Stores the draft now: the page may go away. */
  async saveDraft(): Promise<void> {
    clearTimeout(this.#draftTimer);
    await writeDraft(this.deps.kv, this.record.value.id, this.draft.value).catch((error) => this.#storageFailed(error));
  }

  /** Asks the engine to stop the turn; its end arrives as an event like any other. */
  async stop(): Promise<void> {
    const turn = this.outbox.value.turn;
    if (turn === null) return;
    this.#continues = maxContinues;
    await this.deps.api.stopTurn(this.record.value.sandboxId, turn.turnId);
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

  async showEarlier(): Promise<void> {
    const before = this.state.value;
    const earlier = await loadEarlier(this.deps.kv, this.record.value.id, before, 3);
    if (this.state.value.entries[0] !== before.entries[0]) return;
    this.state.value = { ...this.state.value, entries: [...earlier, ...this.state.value.entries] };
  }

  #setQueue(queue: Outbox["queue"]): void {
    this.outbox.value = { ...this.outbox.value, queue };
    void this.#keeper.save();
  }

  #changeRecord(change: Partial<SessionRecord>): void {
    const summary = sessionSummary(this.state.value);
    this.record.value = { ...this.record.value, summary, updatedAt: this.deps.now(), ...change };
    this.deps.onRecord(this.record.value);
  }

  #start(turn: OutboxTurn, resumed: boolean): void {
    this.#run?.abort();
    const run = new AbortController();
    this.#run = run;
    this.#away = resumed;
    const { kv, api, page } = this.deps;
    const sandboxId = this.record.value.sandboxId;
    const deps: TurnRunnerDeps = {
      ...page,
      post: async (attempt, after, signal) => {
        this.outbox.value = { ...this.outbox.value, turn: { ...turn, attempt, state: "sent" } };
        await this.#keeper.save();
        const missing = await loadEarlier(kv, this.record.value.id, this.state.value);
        const entries = [...missing, ...this.state.value.entries].slice(0, turn.historyCount);
        const body = buildTurnRequest({ ...turn, attempt, after, sandboxId, messages: messagesOf(entries) });
        return api.send("/turn", { method: "POST", body: JSON.stringify(body), signal });
      },
      follow: (after, signal) => api.send(`/turns/${sandboxId}/${turn.turnId}/events?after=${after}`, { signal }),
      after: () => {
        this.#flush();
        const current = this.state.value.head.turn;
        return current?.id === turn.turnId ? current.lastEventId : 0;
      },
      onEvents: (events) => {
        if (this.#buffer.length === 0) page.inNextFrame(() => this.#flush());
        this.#buffer.push(...events);
      },
      onConnection: (connection) => this.#onConnection(connection),
    };
    void runTurn(deps, turn.attempt, run.signal).then(async (outcome) => {
      if (run.signal.aborted || outcome.kind === "left") return;
      this.#flush();
      if (outcome.kind === "refused") this.#refused(turn, outcome.error);
      else await this.#finished();
    });
  }

  #onConnection(connection: Connection): void {
    if (connection.kind === "reconnecting" || connection.kind === "offline") {
      this.#away = true;
      this.state.value = dropLive(this.state.value);
    }
    this.connection.value = connection;
  }

  #flush(): void {
    const events = this.#buffer;
    if (events.length === 0) return;
    this.#buffer = [];
    const malformed = this.state.value.live.malformed;
    batch(() => {
      this.state.value = events.reduce(reduce, this.state.value);
      if (events.some(isDurable)) {
        this.#changeRecord({});
        void this.#keeper.save();
      }
      if (this.#away) this.#caughtUp(events);
    });
    const counted = events.some((event) => event.event === "diagnostic");
    if (counted) void this.#keepMalformed(malformed);
  }

  #caughtUp(events: readonly TurnEvent[]): void {
    this.#away = false;
    const commands = events.filter(
      (event) =>
        event.event === "message" && event.data.message.role === "tool" && event.data.message.name === "run_command",
    ).length;
    if (this.connection.value.kind === "live") this.connection.value = { kind: "caught-up", commands };
  }

  async #keepMalformed(before: SessionState["live"]["malformed"]): Promise<void> {
    const more: Record<string, { repaired: number; returned: number }> = {};
    for (const [model, count] of Object.entries(this.state.value.live.malformed)) {
      const old = before[model] ?? { repaired: 0, returned: 0 };
      more[model] = { repaired: count.repaired - old.repaired, returned: count.returned - old.returned };
    }
    await addMalformed(this.deps.kv, more).catch((error) => this.#storageFailed(error));
  }

  async #finished(): Promise<void> {
    const edit = this.draft.value.planEdit;
    if (edit !== null && edit.hash !== this.state.value.head.plan?.hash) this.setDraft({ planEdit: null });
    batch(() => {
      this.outbox.value = { ...this.outbox.value, turn: null };
      if (this.connection.value.kind !== "caught-up") this.connection.value = { kind: "idle" };
      this.#changeRecord({});
    });
    await this.#keeper.save();
    this.#goOn();
  }

  /** What follows by itself: a message that was queued, or the rest of a run whose budget was used up. */
  #goOn(): void {
    const then = this.#next;
    this.#next = null;
    if (then !== null) {
      then();
      return;
    }
    const waiting = waitingFor(this.state.value);
    const next = this.outbox.value.queue[0];
    const stopped = this.state.value.head.turn?.reason === "stopped";
    if (next !== undefined && !stopped && (waiting.kind === "nothing" || waiting.kind === "continue")) {
      this.#continues = 0;
      this.outbox.value = { ...this.outbox.value, queue: this.outbox.value.queue.slice(1) };
      this.send({ type: "message", text: next.text });
      return;
    }
    if (waiting.kind !== "continue") {
      this.#continues = 0;
      return;
    }
    this.#continues += 1;
    if (this.#continues < maxContinues) this.send({ type: "continue" });
  }

  #refused(turn: OutboxTurn, error: HandrailError): void {
    batch(() => {
      this.outbox.value = { ...this.outbox.value, turn: null };
      this.connection.value = { kind: "refused", error };
      this.#changeRecord({});
    });
    void this.#keeper.save();
    if (turn.input.type === "message" && this.draft.value.text === "") this.setDraft({ text: turn.input.text });
  }

  #newKeeper(state: SessionState): SessionKeeper {
    return new SessionKeeper(
      this.deps.kv,
      () => ({ record: this.record.value, state: this.state.value, outbox: this.outbox.value }),
      () => {
        this.storageError.value = null;
        this.deps.onSaved(this.record.value.id);
      },
      (error) => this.#storageFailed(error),
      state.head.entryCount,
    );
  }

  #storageFailed(error: unknown): void {
    const full = error instanceof DOMException && error.name === "QuotaExceededError";
    this.storageError.value = full
      ? "This phone's storage is full. What happens now is shown, but not kept."
      : "This phone's storage does not answer. What happens now is shown, but not kept.";
  }
}
