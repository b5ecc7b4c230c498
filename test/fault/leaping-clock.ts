// A clock that runs as the real one does, and leaps ahead where a case would only wait.

/** Waits at least this long are for silence (25 s), not for the next try (up to 15 s): a leap ends them. */
const longMs = 20_000;

export class LeapingClock {
  #aheadMs = 0;
  readonly #waiting = new Set<() => void>();

  now = (): number => Date.now() + this.#aheadMs;

  /** Short waits are a step; long ones end with the next leap, or never. */
  sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = ms < longMs ? setTimeout(end, 2) : undefined;
      if (ms >= longMs) this.#waiting.add(end);
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    });

  leap(ms: number): void {
    this.#aheadMs += ms;
    for (const end of [...this.#waiting]) end();
  }

  /** Silence on one stream: all who listen for it have waited long enough. */
  silence(): void {
    setTimeout(() => this.leap(70_000), 3);
  }
}
