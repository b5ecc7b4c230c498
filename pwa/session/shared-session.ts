// One session in several tabs of this browser: one tab writes, the others follow it. It sends nothing.
import { batch, computed, signal } from "@preact/signals";
import type { TurnEvent } from "../../shared/event.ts";
import { reduce } from "../../shared/session/reduce.ts";
import type { SessionState } from "../../shared/session/session-state.ts";
import { type Draft, readDraft } from "../storage/draft.ts";
import { readOutbox } from "../storage/outbox.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { isSameState, loadSession } from "../storage/session-store.ts";
import { KeptSession, type KeptSessionDeps } from "./kept-session.ts";

export interface SharedSessionDeps extends KeptSessionDeps {
  /** Hands text that was typed here to the tab that writes from now on. */
  onHandOver(sessionId: string, draft: Draft): void;
}

const maxUnsentChars = 100;

export class SharedSession extends KeptSession {
  /** False in a tab that only follows: it neither sends nor stores. */
  protected readonly keeps = signal(false);
  /** A turn of another device that the person took over here. */
  protected readonly taken = signal<string | null>(null);
  /** True if the server no longer has the session, because another device has deleted it. */
  readonly gone = signal(false);
  /** True if another device sent the running turn, which is followed here. */
  readonly readsAlong = computed(() => {
    const { turn } = this.outbox.value;
    return this.keeps.value && turn?.other === true && turn.turnId !== this.taken.value;
  });
  /** Whether the person may send from here. */
  readonly writes = computed(() => this.keeps.value && !this.readsAlong.value && !this.gone.value);
  /** True if another device has the session open and writes there. */
  readonly held = signal(false);
  /** Whether the composer accepts text: one device at a time. Questions may be answered on any device. */
  readonly types = computed(() => this.writes.value && !(this.held.value && this.outbox.value.turn === null));

  protected constructor(
    private readonly tabs: SharedSessionDeps,
    record: SessionRecord,
    state: SessionState,
  ) {
    super(tabs, record, state);
  }

  /**
   * Reads again what another tab stored. With `all`, it does so even if this tab has received more than the other has
   * stored.
   */
  async reload(all = false): Promise<void> {
    const { id } = this.record.value;
    const { kv } = this.kept;
    const [loaded, outbox] = await Promise.all([loadSession(kv, id), readOutbox(kv, id)]);
    if (loaded !== undefined && this.keeps.value) this.adopt(loaded.record);
    if (loaded === undefined || this.keeps.value) return;
    batch(() => {
      this.record.value = loaded.record;
      this.outbox.value = outbox;
      // Events received from the other tab may be newer than those it has stored.
      const heard = loaded.state.head.entryCount < this.state.value.head.entryCount;
      const known = isSameState(loaded.state, this.state.value);
      if (!known && (all || !heard)) this.state.value = { ...loaded.state, live: this.state.value.live };
    });
    this.keepFrom(loaded.state);
  }

  /** Receives the events of the writing tab, so that this one follows live. It stores nothing. */
  hear(events: readonly TurnEvent[]): void {
    if (!this.keeps.value) this.state.value = events.reduce(reduce, this.state.value);
  }

  /** Called when the person leaves: the list then shows their unsent text, and later whether something is new. */
  async lookedAway(): Promise<void> {
    const { updatedAt: seenAt, seenAt: before, unsent: shown } = this.record.value;
    const unsent = this.draft.value.text.trim().replace(/\s+/g, " ").slice(0, maxUnsentChars) || undefined;
    if (this.keeps.value && (seenAt !== before || unsent !== shown)) await this.choose({ seenAt, unsent });
  }

  /** Storage lost everything, so the tab that writes stores what it has. */
  async storeAgain(): Promise<void> {
    if (this.keeps.value) await this.saveAnew();
  }

  /** Takes the text typed in the tab that was the writer until now, if it is newer than this tab's. */
  takeDraft(draft: Draft): void {
    if (draft.at > this.draft.value.at) this.draft.value = draft;
  }

  /** Reads what other tabs stored, before this tab writes. */
  protected async beginWriting(): Promise<void> {
    const { id } = this.record.value;
    // Events that were received but not stored come again with the stream.
    const [draft] = await Promise.all([readDraft(this.kept.kv, id), this.reload(true)]);
    this.takeDraft(draft);
  }

  /** Called when another tab becomes the writer: hands over the text typed here, stored or not. */
  protected endWriting(): void {
    if (this.keeps.value) {
      this.tabs.onHandOver(this.record.value.id, this.draft.value);
      void this.saveDraft();
    }
    this.keeps.value = false;
  }
}
