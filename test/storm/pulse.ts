// Counts what is received in a scene, so that disturbances happen at moments of the conversation and not of
// the clock.

/**
 * If nothing is received for this long, the next disturbance happens anyway, because the scene may be waiting
 * for it.
 */
const quietMs = 1_500;

export class Pulse {
  #count = 0;
  #over = false;
  readonly #waiting = new Set<() => void>();

  beat = (): void => {
    this.#count += 1;
    for (const look of this.#waiting) look();
  };

  end(): void {
    this.#over = true;
    for (const look of this.#waiting) look();
  }

  /** Resolves at the `count`-th beat, or after a silence; false = the scene ended before. */
  at(count: number): Promise<boolean> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const done = (came: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(came);
      };
      const look = () => {
        clearTimeout(timer);
        if (this.#over) return done(false);
        if (this.#count >= count) return done(true);
        timer = setTimeout(() => done(true), quietMs);
      };
      this.#waiting.add(look);
      look();
    });
  }
}
