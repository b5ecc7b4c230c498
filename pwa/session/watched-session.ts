// A session in which other devices may work too: receives news of their turns, follows them, and notices when the
// session is deleted.
import { batch, computed, effect } from "@preact/signals";
import * as z from "zod/mini";
import { type DeviceNotes, maxUndoPoints, type SaidNotes } from "../../shared/device-notes.ts";
import { HandrailError } from "../../shared/errors.ts";
import { SessionHistory } from "../../shared/history.ts";
import type { NotifyOption } from "../../shared/push.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { TurnSession } from "./turn-session.ts";
import { placeAfter, withHistory } from "./with-history.ts";
import { endedPush } from "./worker-signals.ts";

/** How long one request waits for news; proxies cut silent connections. */
const waitMs = 25_000;
/** Used instead of `waitMs` while another device writes: that device may disappear without notice. */
const heldMs = 10_000;
/** The pause before the next request if the server does not answer. */
const laterMs = 10_000;

export class WatchedSession extends TurnSession {
  /** True while this tab writes and no turn runs here, so that the server's state is the newest. */
  readonly #rests = computed(() => {
    const { sandboxId, preparing } = this.record.value;
    return this.keeps.value && this.outbox.value.turn === null && sandboxId !== "" && !preparing;
  });

  /** The number of the newest change of the notes that was received; 0 if none. */
  #mark = 0;
  /**
   * The newest change number from before this device began to write. An answer without a higher number is outdated.
   */
  #before = 0;

  /** Makes this device the one that writes, even during a turn that another device sent. */
  useHere(): void {
    this.taken.value = this.outbox.value.turn?.turnId ?? null;
    this.#writes();
    const writer = this.deps.client();
    if (writer !== undefined) void this.#tell({ writer });
  }

  /** The device that sends a message writes from now on. */
  override send(...sent: Parameters<TurnSession["send"]>): boolean {
    this.#writes();
    return super.send(...sent);
  }

  #writes(): void {
    this.#before = Math.max(this.#before, this.#mark);
    this.held.value = false;
  }

  override rename(title: string): void {
    super.rename(title);
    const { title: named, untold } = this.record.value;
    if (untold) void this.#tell({ title: named });
  }

  /**
   * Returns whether a turn runs that this device sent. A turn that was not sent yet will contain the new notification
   * settings.
   */
  get runsHere(): boolean {
    const { turn } = this.outbox.value;
    return turn?.state === "sent" && turn.other !== true;
  }

  /** Replaces the running turn's notification settings; resolves to whether it will use the new ones. */
  callInstead(notify: NotifyOption): Promise<boolean> {
    const turnId = this.outbox.value.turn?.turnId ?? "";
    return this.deps.api.notifyTurn(this.record.value.sandboxId, turnId, notify).then(
      () => true,
      () => false,
    );
  }

  /** Receives news of other devices while no turn runs here, until `over` aborts. Never throws. */
  async watch(over: AbortSignal): Promise<void> {
    this.#mark = 0;
    while (!over.aborted && !this.gone.value) {
      const asking = new AbortController();
      const abort = () => asking.abort();
      over.addEventListener("abort", abort);
      let end: (() => void) | undefined;
      try {
        await this.#resting(over);
        if (over.aborted) return;
        end = effect(() => {
          if (!this.#rests.value) abort();
        });
        const heard = await this.#hear(asking.signal);
        if (heard === "never" && !over.aborted) return;
        if (heard === "later") {
          const { sleep, wake } = this.deps.page;
          await Promise.race([sleep(laterMs, over), wake(over)]);
        }
      } finally {
        end?.();
        over.removeEventListener("abort", abort);
      }
    }
  }

  #resting(over: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      let end: (() => void) | undefined;
      const done = () => {
        resolve();
        // An effect may run before its dispose function is known.
        queueMicrotask(() => end?.());
      };
      end = effect(() => {
        if (this.#rests.value) done();
      });
      over.addEventListener("abort", done, { once: true });
    });
  }

  /** Sends one request and handles its answer. */
  async #hear(signal: AbortSignal): Promise<"news" | "later" | "never"> {
    const { sandboxId } = this.record.value;
    const { turn } = this.state.value.head;
    const place = placeAfter(turn);
    // If a turn runs, the answer comes at once, so that the turn can be followed.
    const client = this.deps.client();
    const query = new URLSearchParams({
      waitMs: String(turn?.status === "running" ? 0 : this.held.value ? heldMs : waitMs),
      ...(place !== "" && { after: place }),
      ...(client !== undefined && { client, known: String(this.#mark) }),
    });
    try {
      const answer = await this.deps.api.send(`/sandboxes/${sandboxId}/history?${query}`, { signal });
      const history = z.parse(SessionHistory, await answer.json());
      if (signal.aborted || place !== placeAfter(this.state.value.head.turn)) return "news";
      await this.#takeIn(history);
      if (history.notes !== undefined) await this.#takeNotes(history.notes);
      const moved =
        history.sessions[0].entries.length === 0 || place !== placeAfter(this.state.value.head.turn);
      return moved ? "news" : "later";
    } catch (error) {
      if (signal.aborted) return "news";
      if (!(error instanceof HandrailError)) return "later";
      if (error.code === "not_found") return this.#isGone();
      // If the histories differ, the person is asked which one counts when they send the next turn.
      return error.code === "history_differs" || error.code === "invalid_request" ? "never" : "later";
    }
  }

  /** A server that does not know the route may know the session. */
  async #isGone(): Promise<"later" | "never"> {
    try {
      await this.deps.api.sandbox(this.record.value.sandboxId);
      return "never";
    } catch (error) {
      if (!(error instanceof HandrailError) || error.code !== "not_found") return "later";
      this.gone.value = true;
      return "never";
    }
  }

  async #takeIn(history: SessionHistory): Promise<void> {
    const [{ record, entries }] = history.sessions;
    if (entries.length > 0) {
      batch(() => {
        this.state.value = withHistory(this.state.value, history);
        this.changeRecord(history.notes?.title === undefined ? this.#titled(record) : {});
      });
      await this.save();
    }
    if (history.more) return;
    const { turn } = this.state.value.head;
    if (turn?.status === "running") this.#join(turn.id);
    else if (entries.length > 0) void this.measureChanges();
  }

  /** Handles what the other devices said, and tells them what they need to know. */
  async #takeNotes({ mark, writer, title, undoPoints = [], endedPush: ended }: DeviceNotes): Promise<void> {
    this.#mark = mark;
    if (mark > this.#before) this.held.value = writer !== undefined && writer !== this.deps.client();
    const { title: ours, untold, undoPoints: points = [] } = this.record.value;
    const all = new Map([...points, ...undoPoints].map((point) => [point.turnId, point]));
    const joined = [...all.values()].sort((a, b) => a.at - b.at).slice(-maxUndoPoints);
    const theirs = new Set(undoPoints.map(({ turnId }) => turnId));
    const missing = joined.filter(({ turnId }) => !theirs.has(turnId));
    const named = title !== undefined && title !== ours && !untold;
    if (named || joined.length > points.length)
      await this.choose({ ...(named && { title, given: undefined }), undoPoints: joined });
    if (untold) void this.#tell({ title: ours });
    if (missing.length > 0) void this.#tell({ undoPoints: missing });
    if (ended !== undefined) endedPush.value = ended;
  }

  /** A message that does not arrive is sent again with the next answer. Never rejects. */
  async #tell(notes: SaidNotes): Promise<void> {
    try {
      await this.deps.api.note(this.record.value.sandboxId, notes);
      if (notes.title === this.record.value.title) await this.choose({ untold: undefined });
    } catch {
      // The message is sent again with the next answer.
    }
  }

  /** Takes over the server's title, unless the person named the session here. */
  #titled({ title }: { title: string }): Partial<SessionRecord> {
    const { title: old, given, createdAt } = this.record.value;
    const unnamed = old === given || (given === undefined && this.record.value.updatedAt === createdAt);
    return unnamed && title !== "" ? { title, given: title } : {};
  }

  /** Follows a turn that another device posted, and takes it up if no process runs it. */
  #join(turnId: string): void {
    if (!this.#rests.value) return;
    const turn = this.newTurnOf(turnId, { type: "continue" });
    const joined = { ...turn, attempt: 1, state: "sent" as const, other: true as const };
    this.setTurn(joined);
    void this.save();
    this.start(joined, true);
  }
}
