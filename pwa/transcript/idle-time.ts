// The time between turns, which does not count for any step because nothing runs then.
import type { Row } from "./rows.ts";

export class IdleTime {
  #since: number | undefined;

  /** A turn begins; the previous one ended at `since`, in milliseconds. */
  begin(since: number): void {
    this.#since = since;
  }

  /**
   * A message of the new turn is dated `now`: the time between is subtracted from every active step. The engine's own
   * first message may still have the time at which the previous turn ended.
   */
  end(now: number, rows: readonly Row[]): void {
    if (this.#since === undefined || now <= this.#since) return;
    for (const row of rows)
      if (row.kind === "station" && row.status === "active") row.idleMs += now - this.#since;
    this.#since = undefined;
  }
}
