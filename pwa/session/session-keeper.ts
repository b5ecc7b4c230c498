// Writes a session's state to storage in batches: never once per token, and always the newest state.
import type { SessionHead, SessionState, TurnState } from "../../shared/session/session-state.ts";
import type { Kv } from "../storage/kv.ts";
import { type Outbox, outboxKey } from "../storage/outbox.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { sessionPuts } from "../storage/session-store.ts";

export interface Snapshot {
  record: SessionRecord;
  state: SessionState;
  outbox: Outbox;
}

export class SessionKeeper {
  #savedCount: number;
  #wanted = false;
  #writing: Promise<boolean> | null = null;
  #storedTurn: TurnState | null;

  /** `current` is read when a write begins. `stored` is the head in storage. */
  constructor(
    private readonly kv: Kv,
    private readonly current: () => Snapshot,
    private readonly onSaved: () => void,
    private readonly onError: (error: unknown) => void,
    stored: SessionHead,
  ) {
    this.#savedCount = stored.entryCount;
    this.#storedTurn = stored.turn;
  }

  /** The turn in storage. */
  get storedTurn(): TurnState | null {
    return this.#storedTurn;
  }

  /** Stores the newest state; resolves to whether storage took it. */
  save(): Promise<boolean> {
    this.#wanted = true;
    this.#writing ??= this.#loop();
    return this.#writing;
  }

  async #loop(): Promise<boolean> {
    let kept = true;
    await Promise.resolve();
    while (this.#wanted) {
      this.#wanted = false;
      const { record, state, outbox } = this.current();
      try {
        await this.kv.write([
          ...sessionPuts(record, state, this.#savedCount),
          [outboxKey(record.id), outbox],
        ]);
        this.#savedCount = state.head.entryCount;
        this.#storedTurn = state.head.turn;
        kept = true;
        this.onSaved();
      } catch (error) {
        kept = false;
        this.onError(error);
      }
    }
    this.#writing = null;
    return kept;
  }
}
