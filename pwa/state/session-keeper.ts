// Writes one session's state to storage, batched: never one write per token, always the newest state.
import type { SessionState } from "../../shared/session/session-state.ts";
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
  #writing: Promise<void> | null = null;

  /** `current` is read when a write begins. `savedCount`: entries that stand in storage already. */
  constructor(
    private readonly kv: Kv,
    private readonly current: () => Snapshot,
    private readonly onSaved: () => void,
    private readonly onError: (error: unknown) => void,
    savedCount: number,
  ) {
    this.#savedCount = savedCount;
  }

  /** Stores the newest state; resolves when what stands now is stored, or could not be. */
  save(): Promise<void> {
    this.#wanted = true;
    this.#writing ??= this.#loop();
    return this.#writing;
  }

  async #loop(): Promise<void> {
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
        this.onSaved();
      } catch (error) {
        this.onError(error);
      }
    }
    this.#writing = null;
  }
}
