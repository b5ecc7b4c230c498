// A session's signals and how they are stored: state, outbox, draft, name. It sends nothing.
import { computed, signal } from "@preact/signals";
import { maxTitleChars } from "../../shared/device-notes.ts";
import type { Attachment } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import { noLive, type SessionState, type TurnState, withMode } from "../../shared/session/session-state.ts";
import { type SessionSummary, sessionSummary } from "../../shared/session/session-summary.ts";
import {
  type Draft,
  draftKey,
  emptyDraft,
  isEmptyMessage,
  keepLastMoment,
  writeDraft,
} from "../storage/draft.ts";
import type { Kv } from "../storage/kv.ts";
import { emptyOutbox, type Outbox, outboxKey } from "../storage/outbox.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { loadEarlier } from "../storage/session-store.ts";
import { storageErrorInWords } from "../storage/storage-error.ts";
import { keptEdit } from "./kept-edit.ts";
import { decisionOn, sentOn } from "./permit-input.ts";
import { SessionKeeper } from "./session-keeper.ts";

export interface KeptSessionDeps {
  kv: Kv;
  now(): number;
  newId(): string;
  /** Called when the record has changed, so that the list shows the new one. */
  onRecord(record: SessionRecord): void;
  /** Called when other tabs may read what was stored. */
  onSaved(sessionId: string): void;
}

/** How much typing a crash may lose: a browser that is killed does not fire `pagehide`. */
const draftMs = 400;

export class KeptSession {
  readonly record;
  readonly state;
  /** `state` between tokens, without the streamed text: a component that reads this is not rendered for each token. */
  readonly settled = computed(() => this.#settle());
  readonly outbox = signal<Outbox>(emptyOutbox);
  /** Whether the server has said that the current turn began. */
  readonly begun = computed(() => this.outbox.value.turn?.turnId === this.state.value.head.turn?.id);
  readonly draft = signal<Draft>(emptyDraft);
  /**
   * Why writes to storage fail; null while they succeed. While they fail, the latest changes are only on the screen.
   */
  readonly storageError = signal<string | null>(null);
  #settled: SessionState | null = null;
  #keeper: SessionKeeper;
  #draftTimer: ReturnType<typeof setTimeout> | undefined;
  /** True while typed text may not be stored yet. */
  #unsaved = false;

  constructor(
    protected readonly kept: KeptSessionDeps,
    record: SessionRecord,
    state: SessionState,
  ) {
    this.record = signal(record);
    this.state = signal(state);
    this.#keeper = this.#newKeeper(state);
  }

  setMode(mode: Mode): void {
    this.state.value = withMode(this.state.value, mode);
    void this.save();
  }

  enqueue(text: string, attachments: readonly Attachment[] = []): void {
    const files = attachments.length === 0 ? {} : { attachments: [...attachments] };
    this.setQueue([...this.outbox.value.queue, { id: this.kept.newId(), text, ...files }]);
    void this.save();
  }

  unqueue(id: string): void {
    this.setQueue(this.outbox.value.queue.filter((message) => message.id !== id));
    void this.save();
  }

  /**
   * Puts a queued message back into the composer. Both are stored in one write before the text shows, so that it is
   * neither lost nor sent as well.
   */
  async takeBack({ id, text, attachments = [] }: Outbox["queue"][number]): Promise<void> {
    this.setQueue(this.outbox.value.queue.filter((message) => message.id !== id));
    const before = this.draft.value;
    const draft = this.changedDraft({
      text: [text, before.text].filter(Boolean).join("\n"),
      attachments: [...attachments, ...before.attachments],
    });
    const sessionId = this.record.value.id;
    await this.kept.kv
      .write([
        [outboxKey(sessionId), this.outbox.value],
        [draftKey(sessionId), draft],
      ])
      .catch((error) => this.storageFailed(error));
    this.draft.value = draft;
  }

  rename(title: string): void {
    const { title: old } = this.record.value;
    const named = title.trim().slice(0, maxTitleChars);
    if (named !== "" && named !== old) void this.choose({ title: named, untold: true });
  }

  /** Stores a person's choice for the whole session, which does not count as a change of the session. */
  async choose(change: Partial<SessionRecord>): Promise<void> {
    this.changeRecord({ updatedAt: this.record.value.updatedAt, ...change });
    await this.save();
  }

  /** Called in the writing tab: takes over what the person chose for the session in another tab. */
  protected adopt(from: SessionRecord): void {
    const { title, untold, archived, deletedAt, model, effort, planning } = from;
    const chosen = { title, untold, archived, deletedAt, model, effort, planning };
    this.record.value = { ...this.record.value, ...chosen };
  }

  /**
   * Changes the draft on the screen at once and in storage soon: once per tap, and during continuous typing once every
   * `draftMs`, never for each key.
   */
  setDraft(change: Partial<Draft>): void {
    const { planEdit: before } = this.draft.value;
    this.draft.value = this.changedDraft(change);
    // The list says whether the waiting plan has edits.
    if (change.planEdit !== undefined && (change.planEdit === null) !== (before === null))
      void this.choose({});
    this.#unsaved = true;
    if ("text" in change) this.#draftTimer ??= setTimeout(() => void this.saveDraft(), draftMs);
    else void this.saveDraft();
  }

  /** The draft after `change`. It gets a later time than before even if the clock was set back. */
  protected changedDraft(change: Partial<Draft>): Draft {
    const before = this.draft.value;
    const draft = { ...before, ...change, at: Math.max(this.kept.now(), before.at + 1) };
    return { ...draft, turnId: isEmptyMessage(draft) ? null : (draft.turnId ?? this.kept.newId()) };
  }

  /** Stores the draft now, because the page may be closed. */
  async saveDraft(): Promise<void> {
    clearTimeout(this.#draftTimer);
    this.#draftTimer = undefined;
    const { id } = this.record.value;
    const draft = this.draft.value;
    try {
      await writeDraft(this.kept.kv, id, draft);
      if (this.draft.value === draft) this.#unsaved = false;
      // Storage works again, so everything that it did not take before is stored.
      if (this.storageError.value !== null) await this.save();
    } catch (error) {
      this.storageFailed(error);
    }
  }

  /** Stores anything that storage did not take before. */
  async saveAgain(): Promise<void> {
    if (this.storageError.value !== null) await this.saveDraft();
  }

  /** Resolves when storage has taken or refused everything that this tab wrote. */
  async saved(): Promise<void> {
    await this.save();
  }

  /** The page is closing, perhaps without another event, so typed text is stored before this returns. */
  leave(): void {
    if (!this.#unsaved) return;
    keepLastMoment(this.record.value.id, this.draft.value);
    void this.saveDraft();
  }

  /** Storage lost everything: data in memory is stored again. */
  protected async saveAnew(): Promise<void> {
    const { head, entries } = this.state.value;
    this.keepFrom({ ...this.state.value, head: { ...head, entryCount: head.entryCount - entries.length } });
    await this.save();
    await this.saveDraft();
  }

  async showEarlier(): Promise<void> {
    const before = this.state.value;
    const earlier = await loadEarlier(this.kept.kv, this.record.value.id, before, 3);
    if (this.state.value.entries[0] !== before.entries[0]) return;
    this.state.value = { ...this.state.value, entries: [...earlier, ...this.state.value.entries] };
  }

  /** Stores record, state and outbox together; resolves to whether storage has the current values. */
  protected save(): Promise<boolean> {
    return this.#keeper.save();
  }

  /** The newest turn in storage. */
  protected get storedTurn(): TurnState | null {
    return this.#keeper.storedTurn;
  }

  /** Storage now has `state`, so later saves continue from it. */
  protected keepFrom(state: SessionState): void {
    this.#keeper = this.#newKeeper(state);
  }

  protected setQueue(queue: Outbox["queue"]): void {
    this.outbox.value = { ...this.outbox.value, queue };
  }

  protected setTurn(turn: Outbox["turn"]): void {
    this.outbox.value = { ...this.outbox.value, turn };
  }

  /** The state in words, for the list of sessions. */
  protected summary(): SessionSummary {
    const { decisions } = this.draft.value;
    const input = this.outbox.value.turn?.input;
    return sessionSummary(
      this.state.value,
      (asked) => (decisionOn(asked, decisions) ?? sentOn(asked, input)) !== undefined,
      keptEdit(this.draft.value, this.state.value.head.plan) !== undefined,
    );
  }

  protected changeRecord(change: Partial<SessionRecord>): void {
    const summary = this.summary();
    this.record.value = { ...this.record.value, summary, updatedAt: this.kept.now(), ...change };
    this.kept.onRecord(this.record.value);
  }

  /** Why storage did not take the last write. */
  protected storageFailure: unknown;

  protected storageFailed(error: unknown): void {
    this.storageFailure = error;
    this.storageError.value = storageErrorInWords(error);
  }

  #settle(): SessionState {
    const { head, entries, live } = this.state.value;
    const last = this.#settled;
    const same = last?.head === head && last.entries === entries && last.live.context === live.context;
    if (same) return last;
    this.#settled = { head, entries, live: { ...noLive, context: live.context } };
    return this.#settled;
  }

  #newKeeper(state: SessionState): SessionKeeper {
    return new SessionKeeper(
      this.kept.kv,
      () => ({ record: this.record.value, state: this.state.value, outbox: this.outbox.value }),
      () => {
        this.storageError.value = null;
        this.kept.onSaved(this.record.value.id);
      },
      (error) => this.storageFailed(error),
      state.head,
    );
  }
}
