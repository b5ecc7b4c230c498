// The turns of one session: sends a turn, follows it to its end, and continues with the next.
import { batch } from "@preact/signals";
import { maxUndoPoints } from "../../shared/device-notes.ts";
import type { HandrailError } from "../../shared/errors.ts";
import type { Mode } from "../../shared/mode.ts";
import { endWithoutRest, hasMessagesOf } from "../../shared/session/not-kept.ts";
import { dropLive, withMode } from "../../shared/session/session-state.ts";
import { titleFrom, titleOfGoal } from "../../shared/session/title.ts";
import type { TurnInput } from "../../shared/turn.ts";
import { type Draft, isEmptyMessage, keepLastMoment } from "../storage/draft.ts";
import type { OutboxTurn } from "../storage/outbox.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { withoutEarlier } from "../storage/session-store.ts";
import { isUnkept, unsentError } from "../storage/storage-error.ts";
import { deliverTurn, type TurnRunnerDeps } from "../turn/turn-runner.ts";
import { pickFor, pickOf } from "./chosen-model.ts";
import { lookAtChanges, mayHaveChanged, setCounting, withMeasured } from "./count-changes.ts";
import { FollowedSession } from "./followed-session.ts";
import { givenBack, newTurn } from "./new-turn.ts";
import { nextInput } from "./next-input.ts";
import { readRest, wasSaid } from "./sent-before.ts";
import { spending, spendLimitNow } from "./spending.ts";
import { turnRequests } from "./turn-link.ts";
import { undoText } from "./undo-text.ts";

/** The message is not held up for longer than this: the first snapshot of a large workspace may take a while. */
const snapshotWaitMs = 3_000;

/** `clears` is the part of the draft that became this input. It is removed only once the outbox has the input. */
export interface SendOptions {
  mode?: Mode;
  clears?: Partial<Draft>;
}

export class TurnSession extends FollowedSession {
  protected run: AbortController | null = null;
  protected continues = 0;
  protected next: (() => void) | null = null;
  /** The last input sent, in case storage fails. */
  protected sent: { input: TurnInput; options: SendOptions } | null = null;
  /** The newest turn, if it was sent although storage did not take it. */
  #unstored: OutboxTurn | null = null;
  /** A message that replaces an earlier one and has its id. */
  #changed: TurnInput | null = null;
  /** True if the person chose to send although storage does not take the message. */
  protected anyway = false;
  /** Closes the open stream, so that it is requested again. */
  protected doubt: () => void = () => undefined;

  /** If storage does not have the newest turn, its message is stored under its id, so that it is recognized later. */
  override leave(): void {
    super.leave();
    const draft = this.draft.value;
    if (this.#unstored === null || this.storageError.value === null || !isEmptyMessage(draft)) return;
    const { turnId, input } = this.#unstored;
    if (input.type !== "message") return;
    keepLastMoment(this.record.value.id, { ...draft, text: input.text, turnId, at: draft.at + 1 });
  }

  /**
   * Posts a turn with `input`. There is one turn at a time: returns false while another one runs or another tab writes.
   */
  send(input: TurnInput, options: SendOptions = {}): boolean {
    if (this.outbox.value.turn !== null || !this.writes.value) return false;
    const { clears, mode } = options;
    const held = this.storageError.value === null ? withoutEarlier(this.state.value) : this.state.value;
    this.state.value = mode === undefined ? held : withMode(held, mode);
    const first = this.state.value.head.saidCount === 0 && input.type === "message";
    // A message has the id with which its draft was stored, so that after a crash the server can tell whether it was
    // sent.
    const drafted = input.type === "message" && clears?.text !== undefined ? this.draft.value.turnId : null;
    const turn = this.newTurnOf(drafted ?? this.deps.newId(), input);
    this.sent = { input, options };
    batch(() => {
      this.setTurn(turn);
      const title = first ? titleFrom(input.text) : this.record.value.title;
      this.changeRecord(first ? { title, given: title } : {});
    });
    if (clears !== undefined) this.clear(clears);
    this.start(turn, false);
    return true;
  }

  protected newTurnOf(turnId: string, input: TurnInput): OutboxTurn {
    const state = this.state.value;
    const spendLimit = spendLimitNow(this.deps.now(), state.head.spent.cost);
    const { model, effort } = pickOf(this.record.value, pickFor(state.head.mode, input));
    const { git, remote } = this.record.value;
    const deliver = git !== undefined || remote === true;
    const offered = { deliver, mcp: this.deps.mcp?.(), explore: this.deps.explore?.() };
    const chosen = { serves: this.deps.serves(), model, effort, stored: this.storedTurn };
    const limits = { spendLimit, unattended: spending.value.alone };
    return newTurn(turnId, input, state, this.draft.value, { ...limits, ...offered, ...chosen });
  }

  /** Removes the sent text from the draft on the screen, and from storage once the outbox has it. */
  protected clear(clears: Partial<Draft>): void {
    this.draft.value = this.changedDraft(clears);
    void this.save().then(async (kept) => {
      if (kept) await this.saveDraft();
    });
  }

  protected start(turn: OutboxTurn, resumed: boolean, step: "post" | "follow" = "follow"): void {
    this.run?.abort();
    const run = new AbortController();
    this.run = run;
    this.away = resumed;
    const { kv, api, page } = this.deps;
    const { id: sessionId, sandboxId } = this.record.value;
    const current = () => {
      this.buffer.flush();
      return this.state.value;
    };
    const stored = () => {
      const last = this.storedTurn;
      return last?.id === turn.turnId ? { after: last.lastEventId, seen: last.seen } : { after: 0 };
    };
    const client = this.deps.client();
    const markSent = async (attempt: number) => {
      if (attempt === 1) await this.#keepUndoPoint(turn);
      this.setTurn({ ...turn, attempt, state: "sent" });
      const kept = await this.save();
      if (kept) this.anyway = false;
      // A later attempt sends the stored input.
      else if (attempt === 1 && !this.anyway) throw unsentError(this.storageFailure);
      this.#unstored = kept ? null : turn;
    };
    const deps: TurnRunnerDeps = {
      ...page,
      doubt: (over) => Promise.race([page.doubt(over), this.#doubted()]),
      ...turnRequests({ sessionId, sandboxId, kv, api, client, current, stored, markSent }, turn),
      onEvents: (events) => this.buffer.push(events),
      onConnection: (connection) => this.connected(connection),
    };
    const first = turn.attempt === 0 || turn.counts === "client" ? "post" : step;
    void deliverTurn(deps, turn.attempt, run.signal, first).then(async (outcome) => {
      if (run.signal.aborted || outcome.kind === "left") return;
      this.buffer.flush();
      const gone =
        outcome.kind === "gap" || (outcome.kind === "refused" && outcome.error.code === "not_kept");
      if (outcome.kind === "refused" && !gone) this.#refused(turn, outcome.error);
      else if (gone) await this.#withoutRest(turn, run.signal);
      else await this.finished();
    });
  }

  /** Takes a snapshot to which the person can go back. Gives up if the server does not answer soon. */
  async #keepUndoPoint({ turnId, input, mode }: OutboxTurn): Promise<void> {
    const before = this.record.value.undoPoints ?? [];
    // An automatic `continue` belongs to the message that started the run.
    const head = { ...this.state.value.head, mode };
    const text = input.type === "continue" && this.continues > 0 ? undefined : undoText(input, head);
    if (text === undefined || before.some((point) => point.turnId === turnId)) return;
    const { api, page, now } = this.deps;
    const over = new AbortController();
    const taken = api.snapshot(this.record.value.sandboxId).catch(() => undefined);
    const made = await Promise.race([taken, page.sleep(snapshotWaitMs, over.signal)]);
    over.abort();
    if (!made) return;
    const point = { turnId, snapshot: made.snapshot, at: now(), text };
    this.changeRecord({ undoPoints: [...before, point].slice(-maxUndoPoints) });
  }

  #doubted(): Promise<void> {
    return new Promise((resolve) => {
      this.doubt = resolve;
    });
  }

  protected async finished(): Promise<void> {
    const reads = this.readsAlong.value;
    const edit = this.draft.value.planEdit;
    if (edit !== null && edit.hash !== this.state.value.head.plan?.hash) this.setDraft({ planEdit: null });
    // The count of an earlier turn may have been cancelled for this one.
    const recount = mayHaveChanged(this.state.value) || this.record.value.uncounted === true;
    batch(() => {
      if (recount) setCounting(this.record.value.sandboxId, true);
      this.setTurn(null);
      if (this.connection.value.kind !== "caught-up") this.connection.value = { kind: "idle" };
      this.changeRecord({ ...this.#planTitle(), ...(recount && { uncounted: true }) });
    });
    await this.save();
    if (recount) void this.measureChanges();
    const changed = this.#changed;
    this.#changed = null;
    if (!reads)
      void import("./model-title.ts").then(
        ({ nameByModel }) => nameByModel(this, this.deps),
        () => undefined,
      );
    // The device that sent the turn also sends what follows it.
    if (reads && this.next === null && this.outbox.value.queue.length === 0) return;
    if (changed !== null && !wasSaid(changed, this.state.value))
      this.setDraft(givenBack(changed, this.draft.value));
    else this.#sendNext();
  }

  /** A session is named after its plan, unless the person gave it a name. */
  #planTitle(): Partial<SessionRecord> {
    const { title: old, given } = this.record.value;
    const title = titleOfGoal(this.state.value.head.plan?.goal ?? "");
    return title === undefined || old !== given ? {} : { title, given: title };
  }

  /** Counts the changes again, so that the list, the header and Changes show the same number. */
  async measureChanges(): Promise<void> {
    const { sandboxId } = this.record.value;
    setCounting(sandboxId, true);
    void this.choose({ uncounted: true });
    const { measured, known } = await lookAtChanges(
      this.deps.api,
      sandboxId,
      this.state.value.head.committed,
    );
    // A new turn has begun meanwhile; the count is repeated when it ends.
    const isNewest = this.outbox.value.turn === null;
    batch(() => {
      setCounting(sandboxId, false);
      if (isNewest && measured !== undefined) this.state.value = withMeasured(this.state.value, measured);
    });
    if (isNewest) await this.choose(known);
  }

  /**
   * Sends what follows automatically: the input for which the turn was stopped, a queued message, or `continue` after a
   * long run.
   */
  #sendNext(): void {
    const then = this.next;
    this.next = null;
    if (then !== null) {
      then();
      return;
    }
    const { queue } = this.outbox.value;
    const input = nextInput(this.state.value, queue, this.continues, this.draft.value.decisions);
    this.continues = input?.type === "continue" ? this.continues + 1 : 0;
    if (input === undefined) return;
    if (input.type === "message") this.setQueue(queue.slice(1));
    this.send(input, input.type === "permit" ? { clears: { decisions: [] } } : {});
  }

  /** Ends the turn here because the server no longer has its next events, and tells the person. */
  async #withoutRest(turn: OutboxTurn, signal: AbortSignal): Promise<void> {
    const { api, page, now } = this.deps;
    const { sandboxId } = this.record.value;
    const { left, ended } = await readRest(api, page.sleep, sandboxId, turn.turnId, signal);
    if (signal.aborted) return;
    // The rest of its events cannot be read.
    if (!ended) void api.stopTurn(sandboxId, turn.turnId).catch(() => undefined);
    const heard = hasMessagesOf(turn.turnId, this.state.value.entries);
    batch(() => {
      this.state.value = dropLive(endWithoutRest(this.state.value, turn.turnId, left, now()));
      this.setTurn(null);
      this.connection.value = { kind: "idle" };
      this.changeRecord({});
    });
    await this.save();
    // If nothing of the turn was received, the person has to send its message again, and queued messages wait for it.
    if (heard) this.#sendNext();
    else this.setDraft(givenBack(turn.input, this.draft.value));
  }

  #refused(turn: OutboxTurn, error: HandrailError): void {
    // If the turn continued elsewhere, its events are read and shown, and there is nothing to decide.
    const newer = error.details?.newer !== undefined;
    if (error.code === "history_differs" && turn.counts !== "client" && !newer) {
      // The turn stays in the outbox until the person has decided.
      const { updatedAt } = this.record.value;
      this.connection.value = { kind: "differs", error };
      this.changeRecord({ updatedAt });
      return;
    }
    if (error.code === "key_reused" && turn.attempt === 0) {
      // The message was sent before a crash and then edited in the composer: resume the turn that was sent.
      this.#changed = turn.input;
      this.start({ ...turn, attempt: 1, state: "sent" }, true);
      return;
    }
    batch(() => {
      this.setTurn(null);
      this.connection.value = { kind: "refused", error };
      this.changeRecord({});
    });
    void this.save();
    const back = givenBack(turn.input, this.draft.value);
    this.setDraft(isUnkept(error) && back.text !== undefined ? { ...back, turnId: turn.turnId } : back);
  }
}
