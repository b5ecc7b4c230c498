// Sleeping that an AbortSignal can end, and a watchdog for silent streams.

/** Resolves after `ms`, or as soon as `signal` is aborted; never rejects. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export const realSleep: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });

/**
 * Calls `onSilent` once if nothing was heard for the allowed time, until `over`. Uses one timer instead of one per
 * chunk.
 */
export class SilenceWatch {
  #clock: { elapsed(): number; sleep: Sleep };
  #heardAt: number;
  #limitMs: number;
  #ended = false;

  constructor(
    clock: { elapsed(): number; sleep: Sleep },
    limitMs: number,
    over: AbortSignal,
    onSilent: () => void,
  ) {
    this.#clock = clock;
    this.#heardAt = clock.elapsed();
    this.#limitMs = limitMs;
    void this.#watch(over, onSilent);
  }

  heard(): void {
    this.#heardAt = this.#clock.elapsed();
  }

  /** Ends the watch; the timer ends with `over`. */
  end(): void {
    this.#ended = true;
  }

  async #watch(over: AbortSignal, onSilent: () => void): Promise<void> {
    while (!this.#ended && !over.aborted) {
      const leftMs = this.#heardAt + this.#limitMs - this.#clock.elapsed();
      if (leftMs <= 0) return onSilent();
      await this.#clock.sleep(leftMs, over);
    }
  }
}
