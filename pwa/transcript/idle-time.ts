// The time between turns, in which nothing runs: it belongs to no step.
import type { Row } from "./rows.ts";

export class IdleTime {
  #since: number | undefined;

  /** A turn begins: the previous one ended at `since`, in milliseconds. */
  begin(since: number): void {
    this.#since = since;
  }

  /** The new turn has its first word at `now`: what went by is taken from every step that is active. */
  end(now: number, rows: readonly Row[]): void {
    if (this.#since === undefined) return;
    for (const row of rows)
      if (row.kind === "station" && row.status === "active") row.idleMs += now - this.#since;
    this.#since = undefined;
  }
}
