// The notes that the devices of a session share, and which device writes. The writer is kept in memory only:
// after a restart it is the first device that connects.
import { type DeviceNotes, maxUndoPoints, type SaidNotes } from "../../shared/device-notes.ts";

/** A device that was connected within this time is expected to ask again. */
const awayMs = 15_000;

export class Devices {
  /** The stored notes, without `writer`. */
  said: SaidNotes = {};
  #writer = "";
  /** The writer's requests that are waiting for news. */
  #looks = 0;
  #seenMs = Number.NEGATIVE_INFINITY;
  #mark = Date.now();

  hear({ writer, ...said }: SaidNotes): void {
    const points = [...(this.said.undoPoints ?? []), ...(said.undoPoints ?? [])];
    const last = new Map(points.map((point) => [point.turnId, point]));
    const undoPoints = [...last.values()].sort((a, b) => a.at - b.at).slice(-maxUndoPoints);
    this.said = { ...this.said, ...said, undoPoints };
    this.#mark += 1;
    if (writer) this.writes(writer);
  }

  /** Makes `client` the writer. */
  writes(client: string): void {
    if (client !== this.#writer) {
      this.#looks = 0;
      this.#mark += 1;
    }
    this.#writer = client;
    this.stir();
  }

  /** Something happened, so the writer is present. */
  stir(): void {
    this.#seenMs = performance.now();
  }

  /**
   * `client` waits for news until the returned function is called, and becomes the writer if there is none.
   * `runs`: whether a turn is running.
   */
  look(client: string, runs: boolean): () => void {
    if (this.notes(runs).writer === undefined) this.writes(client);
    if (client !== this.#writer) return () => undefined;
    this.#looks += 1;
    return () => {
      if (client !== this.#writer) return;
      this.#looks = Math.max(0, this.#looks - 1);
      this.stir();
    };
  }

  notes(runs: boolean): DeviceNotes {
    const there = runs || this.#looks > 0 || performance.now() - this.#seenMs < awayMs;
    return { ...this.said, ...(there && this.#writer ? { writer: this.#writer } : {}), mark: this.#mark };
  }
}
