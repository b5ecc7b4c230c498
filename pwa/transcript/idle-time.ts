// The time between turns, which does not count for any step because nothing runs then.
import type { Row } from "./rows.ts";

export class IdleTime {
  #since: number | undefined;

  /** A turn begins; the previous one ended at `since`, in milliseconds. */
  begin(since: number): void {
    this.#since = since;
  }

  /** The new turn's first event came at `now`: the time since the last turn counts as idle for every active step. */
  end(now: number, rows: readonly Row[]): void {
    if (this.#since === undefined) return;
    for (const row of rows)
      if (row.kind === "station" && row.status === "active") row.idleMs += now - this.#since;
    this.#since = undefined;
  }
}
