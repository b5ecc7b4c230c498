// Tells who runs a turn right now, as far as this server can see. The runner holds a stream open and, while a
// client follows the turn, may also send heartbeats. Kept in memory only: a runner reconnects after a restart
// of this server.
import type { AttendanceNews } from "../../shared/journal.ts";

interface Runner {
  epoch: number;
  beats: boolean;
  tell(news: AttendanceNews): void;
}

/**
 * A runner that sends heartbeats does so every second. This allows for three missed ones and a busy machine.
 */
const silentMs = 3_500;
/**
 * Extra time after `silentMs`. When a frozen server continues, its timers are due at once, but heartbeats
 * still wait to be read.
 */
const thawMs = 500;

export class Attendance {
  #runner: Runner | undefined;
  #silent = false;
  #claimedMs = Number.NEGATIVE_INFINITY;
  #beating: NodeJS.Timeout | undefined;
  #watchers = 0;
  readonly #listeners = new Set<() => void>();

  /** Whether a runner runs the turn. */
  get attended(): boolean {
    return this.#runner !== undefined && !this.#silent;
  }

  /** A runner has claimed the turn and will attend it soon. */
  claimed(): void {
    this.#claimedMs = performance.now();
  }

  /** Whether a runner attends the turn or has just claimed it. */
  get expected(): boolean {
    return this.attended || performance.now() - this.#claimedMs < silentMs;
  }

  /** Calls `listener` whenever `attended` may have changed. The returned function removes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * A runner of `epoch` is present until the returned function is called. A runner with an older epoch is
   * told that it was overtaken.
   */
  attend(epoch: number, beats: boolean, tell: Runner["tell"]): () => void {
    const runner: Runner = { epoch, beats, tell };
    if (this.#runner && this.#runner.epoch > epoch) tell({ type: "overtaken" });
    else {
      if (this.#runner && this.#runner.epoch < epoch) this.#runner.tell({ type: "overtaken" });
      this.#runner = runner;
      if (this.#watchers > 0) tell({ type: "watchers", count: this.#watchers });
      this.#expectBeat();
      this.#changed();
    }
    return () => {
      if (this.#runner !== runner) return;
      this.#runner = undefined;
      clearTimeout(this.#beating);
      this.#changed();
    };
  }

  /** The runner of `epoch` sent a heartbeat. */
  beat(epoch: number): void {
    if (this.#runner?.epoch !== epoch) return;
    const was = this.#silent;
    this.#expectBeat();
    if (was) this.#changed();
  }

  /** Counts a follower of the turn until the returned function is called. */
  watch(): () => void {
    this.#count(1);
    let over = false;
    return () => {
      if (!over) this.#count(-1);
      over = true;
    };
  }

  /** Sends news to the runner, if there is one. */
  tell(news: AttendanceNews): void {
    this.#runner?.tell(news);
  }

  #count(more: number): void {
    this.#watchers += more;
    this.#runner?.tell({ type: "watchers", count: this.#watchers });
    // True when the last follower has left or the first one arrives: the runner sends heartbeats only while
    // the turn has followers.
    if (this.#watchers === 0 || this.#watchers === more) this.#expectBeat();
  }

  /** The runner counts as alive for now, and has to send heartbeats while the turn has followers. */
  #expectBeat(): void {
    clearTimeout(this.#beating);
    this.#silent = false;
    if (!this.#runner?.beats || this.#watchers === 0) return;
    this.#beating = setTimeout(() => {
      this.#beating = setTimeout(() => {
        this.#silent = true;
        this.#changed();
      }, thawMs);
      this.#beating.unref();
    }, silentMs);
    this.#beating.unref();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
