// A session that receives its turn: it computes its state from the events, stores them, knows the connection, and notes
// what happened while the person was away.

import { batch, signal } from "@preact/signals";
import { isDurable, type ModelRef, type TurnEvent } from "../../shared/event.ts";
import { reduce } from "../../shared/session/reduce.ts";
import { dropLive, type SessionState } from "../../shared/session/session-state.ts";
import type { SessionSummary } from "../../shared/session/session-summary.ts";
import { steerMessageId, type TurnOptions } from "../../shared/turn.ts";
import type { Api } from "../api/client.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { addMalformed } from "../storage/settings.ts";
import { type Connection, isStill, summaryOver } from "../turn/connection.ts";
import type { TurnRunnerDeps } from "../turn/turn-runner.ts";
import { afterEvent, type Begun, begunIn, keepBegun, takeBegun, withCut } from "./cut-answer.ts";
import { EventBuffer, endedCommands, malformedIn } from "./event-batch.ts";
import { SharedSession, type SharedSessionDeps } from "./shared-session.ts";
import { addCost } from "./spending.ts";

export interface OpenSessionDeps extends SharedSessionDeps {
  api: Api;
  /** The id of this installation; undefined if none was made yet. */
  client(): string | undefined;
  /** The server's default model; null if it is not known now. */
  serves(): ModelRef | null;
  /** MCP servers with the tools that the model may use. */
  mcp?(): unknown[] | undefined;
  /** The helpers that turns may send; missing if the person switched them off. */
  explore?(): TurnOptions["explore"];
  /** Sends what this tab received from a stream to the other tabs. */
  onEvents(sessionId: string, events: readonly TurnEvent[]): void;
  page: Pick<TurnRunnerDeps, "sleep" | "wake" | "doubt" | "isOnline"> & {
    inNextFrame(flush: () => void): void;
  };
}

/** The time of the newest message in milliseconds; undefined if none of the loaded entries is a message. */
export function lastHeardAt({ entries }: SessionState): number | undefined {
  const last = entries.findLast((entry) => entry.event === "message");
  return last?.event === "message" ? last.data.message.createdAt : undefined;
}

const caughtUpMs = 10_000;

/** Missed events come in several reads, and the first of them may contain little. */
const catchingUpMs = 1_000;

export class FollowedSession extends SharedSession {
  readonly connection = signal<Connection>({ kind: "idle" });
  protected readonly buffer: EventBuffer;
  /** True after the stream was silent for a while: the next events count as missed. */
  protected away = false;
  /** When missed events began to arrive, in milliseconds, and how many commands have ended in them so far. */
  #missed = { since: Number.NEGATIVE_INFINITY, commands: 0 };
  /** Partly shown answers whose message has not come yet, apart from the one on the screen. */
  #begun: readonly Begun[] = [];

  /** When live text or output last arrived, in milliseconds. Durable events may arrive much later. */
  #liveAt: number | undefined;

  protected constructor(
    protected readonly deps: OpenSessionDeps,
    record: SessionRecord,
    state: SessionState,
  ) {
    super(deps, record, state);
    this.buffer = new EventBuffer(deps.page.inNextFrame, (events) => this.#receive(events));
  }

  override leave(): void {
    super.leave();
    if (this.keeps.value) keepBegun(this.record.value.id, begunIn(this.state.value, this.#begun));
  }

  protected override async beginWriting(): Promise<void> {
    await super.beginWriting();
    this.#begun = begunIn(this.state.value, takeBegun(this.record.value.id));
    batch(() => {
      this.state.value = dropLive(this.state.value);
      this.keeps.value = true;
      this.connection.value = { kind: "idle" };
    });
  }

  protected override summary(): SessionSummary {
    const unheard = this.outbox.value.turn !== null && !this.begun.value;
    return summaryOver(this.connection.value, super.summary(), unheard);
  }

  protected connected(connection: Connection): void {
    if (isStill(connection)) {
      this.away = true;
      this.#begun = begunIn(this.state.value, this.#begun);
      this.state.value = dropLive(this.state.value);
    }
    if (connection.kind === "sending") this.#missed.commands = 0;
    const { updatedAt } = this.record.value;
    this.connection.value = this.#stillCaughtUp(connection) ?? this.#sinceHeard(connection);
    this.changeRecord({ updatedAt });
  }

  /** The connection's state, with the time of the turn's last sign of life if the state shows it. */
  #sinceHeard(connection: Connection): Connection {
    const { kind } = connection;
    const says = kind === "resuming" || kind === "reconnecting" || kind === "offline";
    if (!says || !this.begun.value) return connection;
    const times = [lastHeardAt(this.state.value), this.#liveAt].filter((at) => at !== undefined);
    return times.length === 0 ? connection : { ...connection, since: Math.max(...times) };
  }

  #receive(events: readonly TurnEvent[]): void {
    this.deps.onEvents(this.record.value.id, events);
    if (!events.every(isDurable)) this.#liveAt = this.deps.now();
    const { cost } = this.state.value.head.spent;
    batch(() => {
      this.state.value = events.reduce((state, event) => this.#fold(state, event), this.state.value);
      this.#unqueueSteered(events);
      const kept = events.some(isDurable);
      // Store the record: the list of sessions shows what runs.
      if (kept || events.some(({ event }) => event === "tool.started" || event === "model.wait"))
        this.changeRecord({});
      if (kept) void this.save();
      this.#catchUp(events);
    });
    const more = this.state.value.head.spent.cost - cost;
    if (more > 0)
      void addCost(this.deps.kv, this.deps.now(), more).catch((error) => this.storageFailed(error));
    const malformed = malformedIn(events);
    if (malformed !== undefined)
      void addMalformed(this.deps.kv, malformed).catch((error) => this.storageFailed(error));
  }

  /**
   * Removes queued messages that the running turn has taken. They are removed in the same write that stores the
   * message, so that none is sent twice.
   */
  #unqueueSteered(events: readonly TurnEvent[]): void {
    const said = new Set(
      events.flatMap((event) => (event.event === "message" ? [event.data.message.id] : [])),
    );
    const { turn, queue } = this.outbox.value;
    if (turn === null) return;
    const left = queue.filter(({ id }) => !said.has(steerMessageId(turn.turnId, id)));
    if (left.length < queue.length) this.setQueue(left);
  }

  /** Folds in `event`. If it shows that an answer was thrown away, a note about that comes first. */
  #fold(before: SessionState, event: TurnEvent): SessionState {
    const { begun, cut } = afterEvent(before, this.#begun, event);
    this.#begun = begun;
    return reduce(cut === undefined ? before : withCut(before, cut), event);
  }

  /** The notice of missed events stays for its whole time, even if the connection is lost again meanwhile. */
  #stillCaughtUp({ kind }: Connection): Connection | undefined {
    const { since, commands } = this.#missed;
    const isSaid = kind === "live" && commands > 0 && this.deps.now() - since < caughtUpMs;
    return isSaid ? { kind: "caught-up", commands } : undefined;
  }

  #catchUp(events: readonly TurnEvent[]): void {
    const now = this.deps.now();
    const { kind } = this.connection.value;
    if (this.away) this.#missed = { since: now, commands: kind === "caught-up" ? this.#missed.commands : 0 };
    this.away = false;
    if (now - this.#missed.since > catchingUpMs || (kind !== "live" && kind !== "caught-up")) return;
    const ended = endedCommands(events);
    this.#missed.commands += ended;
    if (ended > 0) this.#caughtUp(this.#missed.commands);
  }

  /** The notice is shown for `caughtUpMs`. */
  #caughtUp(commands: number): void {
    this.connection.value = { kind: "caught-up", commands };
    void this.deps.page.sleep(caughtUpMs, new AbortController().signal).then(() => {
      if (this.connection.value.kind !== "caught-up") return;
      this.connection.value = { kind: this.outbox.value.turn === null ? "idle" : "live" };
    });
  }
}
