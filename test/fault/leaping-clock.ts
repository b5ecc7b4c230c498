// A clock that runs like the real one, and leaps ahead where a case would only wait.

/**
 * Shorter waits are for the next retry (up to 15 s). Waits of at least this length are for silence (25 s),
 * and a leap ends them.
 */
const longMs = 20_000;

/**
 * A leap simulates half a minute in which all other programs continued. So a leap does not end a wait that
 * has only begun: the expected data must have had at least this long to arrive.
 */
const youngMs = 80;

export class LeapingClock {
  #aheadMs = 0;
  /** Requests that an edge still works on. */
  readonly #working = new Set<object>();
  readonly #waiting = new Set<() => void>();

  /** The number of long waits in progress. */
  get sleepers(): number {
    return this.#waiting.size;
  }

  now = (): number => Date.now() + this.#aheadMs;

  /** A short wait takes one step; a long one ends with the next leap, or never. */
  sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const bornAt = Date.now();
      let timer: NodeJS.Timeout | undefined;
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(leapt);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const leapt = () => {
        timer ??= setTimeout(end, Math.max(0, bornAt + youngMs - Date.now()));
      };
      if (ms < longMs) timer = setTimeout(end, 2);
      else this.#waiting.add(leapt);
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true });
    });

  /**
   * Until the returned function is called or `broken` aborts, `pass` does not leap. On a slow machine work
   * takes longer, but not half a minute.
   */
  works(broken: AbortSignal): () => void {
    const work = {};
    const ended = () => void this.#working.delete(work);
    if (broken.aborted) return ended;
    this.#working.add(work);
    broken.addEventListener("abort", ended, { once: true });
    return ended;
  }

  /** Reports that a program waited `ms` in vain. */
  pass(ms: number): void {
    if (this.#working.size === 0) this.#leap(ms);
  }

  /** Reports silence on one stream: all its listeners have waited long enough. */
  silence(): void {
    setTimeout(() => this.#leap(70_000), 3);
  }

  #leap(ms: number): void {
    this.#aheadMs += ms;
    for (const leapt of [...this.#waiting]) leapt();
  }
}
