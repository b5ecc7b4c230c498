// Runs asynchronous tasks one at a time.

export class Mutex {
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** True when no task is running or waiting. */
  get idle(): boolean {
    return this.#waiting === 0;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const result = this.#tail.then(work).finally(() => {
      this.#waiting -= 1;
    });
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
