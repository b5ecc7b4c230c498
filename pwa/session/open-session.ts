// One open session: opens it, resumes its turn, stops it, and carries out a person's decisions about it. It does not
// know components.
import { batch, signal } from "@preact/signals";
import type { Mode } from "../../shared/mode.ts";
import { reduce } from "../../shared/session/reduce.ts";
import { dropLive } from "../../shared/session/session-state.ts";
import { steerMessageId, type TurnInput } from "../../shared/turn.ts";
import { isEmptyMessage, readDraft } from "../storage/draft.ts";
import type { QueuedMessage } from "../storage/outbox.ts";
import { readOutbox } from "../storage/outbox.ts";
import { loadEarlier, loadSession } from "../storage/session-store.ts";
import { differenceIn, withoutTurns } from "./differing-history.ts";
import type { OpenSessionDeps } from "./followed-session.ts";
import { maxContinues } from "./next-input.ts";
import { readRest, sentBefore } from "./sent-before.ts";
import { loadSpending } from "./spending.ts";
import { WatchedSession } from "./watched-session.ts";

const stopAgainMs = 3_000;
/**
 * How long the end of a stopped turn may take to arrive on our own stream. If it takes longer, the turn runs in another
 * process.
 */
const stoppedStreamMs = 300;

export class OpenSession extends WatchedSession {
  readonly unreadable = signal(0);
  /** Queued messages that were sent into a turn, by the ids that they have in its history. */
  readonly steered = signal<ReadonlySet<string>>(new Set());

  /** The session as stored; undefined if there is none. It writes nothing before `becomeWriter`. */
  static async load(deps: OpenSessionDeps, id: string): Promise<OpenSession | undefined> {
    const { kv } = deps;
    // Both are requested together: one after the other, each would have to wait for a busy main thread.
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

  /** From now on this tab writes and takes up the running turn. */
  async becomeWriter(): Promise<void> {
    await this.beginWriting();
    const { turn } = this.outbox.value;
    const { turn: last } = this.state.value.head;
    // The page was closed after the turn's last event was stored and before the outbox was.
    if (turn !== null && turn.turnId === last?.id && last.status !== "running") await this.finished();
    else if (turn !== null) this.start(turn, true);
    // The page was closed while the changes were counted.
    else if (this.record.value.uncounted === true) void this.measureChanges();
    await this.#findSent();
  }

  becomeReader(): void {
    this.run?.abort();
    batch(() => {
      this.endWriting();
      this.connection.value = { kind: "elsewhere" };
    });
  }

  /** Sends the text of the composer although storage did not take it. */
  sendAnyway(): void {
    const sent = this.sent;
    if (sent === null) return;
    this.anyway = true;
    const { input, options } = sent;
    const { text, attachments } = this.draft.value;
    if (input.type !== "message" || options.clears?.text === undefined) this.send(input, options);
    else if (!isEmptyMessage(this.draft.value)) {
      const files = attachments.length === 0 ? {} : { attachments };
      this.send({ type: "message", text: text.trim() || input.text, ...files }, options);
    }
  }

  /** Asks the server whether the message in the composer was already sent before a crash. */
  async #findSent(): Promise<void> {
    const { turnId } = this.draft.value;
    if (turnId === null || isEmptyMessage(this.draft.value) || !this.writes.value) return;
    const here = turnId === this.outbox.value.turn?.turnId || turnId === this.state.value.head.turn?.id;
    if (!here && this.outbox.value.turn !== null) return;
    const there = here || (await sentBefore(this.deps.api, this.record.value.sandboxId, turnId));
    if (!there || turnId !== this.draft.value.turnId || !this.writes.value) return;
    if (!here) {
      const { text, attachments } = this.draft.value;
      const files = attachments.length === 0 ? {} : { attachments };
      const turn = this.newTurnOf(turnId, { type: "message", text, ...files });
      this.setTurn({ ...turn, attempt: 1, state: "sent" });
      this.start({ ...turn, attempt: 1, state: "sent" }, true);
    }
    this.clear({ text: "", attachments: [] });
  }

  /** Asks the engine to stop the turn; its end arrives as an event like any other. */
  async requestStop(): Promise<void> {
    const { turn } = this.outbox.value;
    if (turn === null) return;
    this.continues = maxContinues;
    const { api, page } = this.deps;
    // Without a connection, repeat the request: a person who pressed Stop still means it later.
    while (this.outbox.value.turn?.turnId === turn.turnId) {
      try {
        await api.stopTurn(this.record.value.sandboxId, turn.turnId);
        // A runner that could not be told reports the stop only after the model's answer, but the journal already knows
        // of it.
        await page.sleep(stoppedStreamMs, new AbortController().signal);
        if (this.outbox.value.turn?.turnId === turn.turnId) this.doubt();
        return;
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        const over = new AbortController();
        await Promise.race([page.sleep(stopAgainMs, over.signal), page.wake(over.signal)]);
        over.abort();
      }
    }
  }

  /**
   * Sends queued messages into the running turn. They stay in the queue until its history has them. If the turn ends
   * before that, they are sent after it like the others.
   */
  async steer({ id, text }: QueuedMessage): Promise<void> {
    const { turn } = this.outbox.value;
    if (turn === null || this.isSteered(id)) return;
    const sent = steerMessageId(turn.turnId, id);
    this.steered.value = new Set([...this.steered.value, sent]);
    try {
      await this.deps.api.steerTurn(this.record.value.sandboxId, turn.turnId, { id, text });
    } catch {
      this.steered.value = new Set([...this.steered.value].filter((other) => other !== sent));
    }
  }

  /** Whether the queued message with this id was sent into the turn that runs. */
  isSteered(id: string): boolean {
    const { turn } = this.outbox.value;
    return turn !== null && this.steered.value.has(steerMessageId(turn.turnId, id));
  }

  /** Stops the running turn, if there is one, then sends `input` in `mode`. */
  async stopThen(input: TurnInput, mode: Mode): Promise<void> {
    if (this.outbox.value.turn === null) {
      this.send(input, { mode });
      return;
    }
    this.next = () => this.send(input, { mode });
    await this.requestStop();
  }

  /**
   * Decides that this phone's history counts, not the server's: the turn is posted again with that decision.
   */
  countHere(): void {
    const { turn } = this.outbox.value;
    if (turn !== null) this.start({ ...turn, counts: "client" }, true);
  }

  /** Decides that the server's history counts: this phone drops its part of the turn and fetches it again. */
  async countServer(): Promise<void> {
    const { turn } = this.outbox.value;
    const connection = this.connection.value;
    if (turn === null || connection.kind !== "differs") return;
    this.connection.value = { kind: "reconnecting", tries: 0 };
    const { turnId, lastId } = differenceIn(connection.error, turn.turnId);
    const { kv, api, page } = this.deps;
    const { id, sandboxId } = this.record.value;
    const { signal: over } = new AbortController();
    const there = turnId !== turn.turnId && lastId > 0;
    const { left } = there ? await readRest(api, page.sleep, sandboxId, turnId, over) : { left: [] };
    const before = this.state.value;
    const entries = [...(await loadEarlier(kv, id, before)), ...before.entries];
    const dropped = new Set([turnId, turn.turnId]);
    const state = withoutTurns(entries, dropLive(before), dropped);
    // Stored entries up to that point stay; later ones are written again.
    const kept = entries.findIndex((entry) => dropped.has(entry.turnId));
    this.keepFrom({ ...state, head: { ...state.head, entryCount: kept === -1 ? entries.length : kept } });
    this.state.value = left.reduce(reduce, state);
    const again = {
      ...this.newTurnOf(turn.turnId, turn.input),
      mode: turn.mode,
      attempt: turn.attempt,
      counts: "server" as const,
    };
    this.setTurn(again);
    await this.save();
    this.start(again, true, turnId === turn.turnId && lastId > 0 ? "follow" : "post");
  }
}
