// A session's row in the list, kept in a file beside its journals so that the list reads no journal. Also
// wakes the requests that wait for news of the session.
import { join } from "node:path";
import { isRecord } from "../../shared/is-record.ts";
import { readIfThere, writeWhole } from "../files.ts";

import { Devices } from "./devices.ts";
import type { RowFacts } from "./session-facts.ts";

const pathIn = (dir: string) => join(dir, "session.json");

/** Empty if no row is stored or it cannot be parsed. `dir`: the sandbox's own state folder. */
export async function keptRow(dir: string): Promise<Partial<RowFacts> & { notes?: Devices["said"] }> {
  try {
    const row: unknown = JSON.parse(`${await readIfThere(pathIn(dir))}`);
    return isRecord(row) ? row : {};
  } catch {
    return {};
  }
}

export class SessionNews {
  readonly devices = new Devices();
  readonly #dir: string;
  #kept = "";
  #writing = Promise.resolve();
  readonly #readers = new Set<() => void>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /**
   * Call it when something was recorded. A row that cannot be stored is derived from the journals again
   * later.
   */
  async tell(row: object): Promise<void> {
    this.devices.stir();
    const text = JSON.stringify({ ...row, notes: this.devices.said });
    if (text !== this.#kept) {
      this.#kept = text;
      this.#writing = this.#writing
        .then(() => writeWhole(pathIn(this.#dir), text, false))
        .catch(() => undefined);
      await this.#writing;
    }
    for (const reader of this.#readers) reader();
  }

  /** Resolves when something is recorded or `over` is aborted. */
  next(over: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#readers.delete(done);
        resolve();
      };
      this.#readers.add(done);
      over.addEventListener("abort", done);
      if (over.aborted) done();
    });
  }
}
