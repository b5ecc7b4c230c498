// A session that other devices may work in too: hears of their turns, follows them, and knows when it is gone.
import { batch, computed, effect } from "@preact/signals";
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { SessionHistory } from "../../shared/history.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { TurnSession } from "./turn-session.ts";
import { placeAfter, withHistory } from "./with-history.ts";

/** How long one request waits for news: proxies cut silent connections. */
const waitMs = 25_000;
/** Until the server is asked again where it did not answer. */
const laterMs = 10_000;

export class WatchedSession extends TurnSession {
  /** Nothing is under way here, so that what the server has is what came last. */
  readonly #rests = computed(() => {
    const { sandboxId, preparing } = this.record.value;
    return this.keeps.value && this.outbox.value.turn === null && sandboxId !== "" && !preparing;
  });

  /** The person goes on here with the turn that another device sent. */
  useHere(): void {
    this.taken.value = this.outbox.value.turn?.turnId ?? null;
  }

  /** Hears what other devices do while nothing is under way here, until `over`. Never throws. */
  async watch(over: AbortSignal): Promise<void> {
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
        // An effect may run before it is known how to end it.
        queueMicrotask(() => end?.());
      };
      end = effect(() => {
        if (this.#rests.value) done();
      });
      over.addEventListener("abort", done, { once: true });
    });
  }

  /** One request, and what it brought. */
  async #hear(signal: AbortSignal): Promise<"news" | "later" | "never"> {
    const { sandboxId } = this.record.value;
    const { turn } = this.state.value.head;
    const place = placeAfter(turn);
    // A turn that runs is followed at once.
    const query = `waitMs=${turn?.status === "running" ? 0 : waitMs}${place === "" ? "" : `&after=${place}`}`;
    try {
      const answer = await this.deps.api.send(`/sandboxes/${sandboxId}/history?${query}`, { signal });
      const history = z.parse(SessionHistory, await answer.json());
      if (signal.aborted || place !== placeAfter(this.state.value.head.turn)) return "news";
      await this.#takeIn(history);
      const moved =
        history.sessions[0].entries.length === 0 || place !== placeAfter(this.state.value.head.turn);
      return moved ? "news" : "later";
    } catch (error) {
      if (signal.aborted) return "news";
      if (!(error instanceof HandrailError)) return "later";
      if (error.code === "not_found") return this.#isGone();
      // Which history counts is asked with the next turn.
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
        this.changeRecord(this.#titled(record));
      });
      await this.save();
    }
    if (history.more) return;
    const { turn } = this.state.value.head;
    if (turn?.status === "running") this.#join(turn.id);
    else if (entries.length > 0) void this.measureChanges();
  }

  /** What the server calls it, unless the person gave it a name here. */
  #titled({ title }: { title: string }): Partial<SessionRecord> {
    const { title: old, given, createdAt } = this.record.value;
    const unnamed = old === given || (given === undefined && this.record.value.updatedAt === createdAt);
    return unnamed && title !== "" ? { title, given: title } : {};
  }

  /** Follows a turn that another device posted, and takes it up if nobody runs it. */
  #join(turnId: string): void {
    if (!this.#rests.value) return;
    const turn = this.newTurnOf(turnId, { type: "continue" });
    const joined = { ...turn, attempt: 1, state: "sent" as const, other: true as const };
    this.setTurn(joined);
    void this.save();
    this.start(joined, true);
  }
}
