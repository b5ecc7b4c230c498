// Counts requests that were refused because they change nothing, so that a model going in circles is told.

/** Files remembered at a time; such circles are short. */
const maxFiles = 500;

export class NoChanges {
  readonly #counts = new Map<string, Map<string, number>>();

  /** How often `request` was counted since the file at `path` last changed. */
  earlier(path: string, request: string): number {
    return this.#counts.get(path)?.get(request) ?? 0;
  }

  count(path: string, request: string): void {
    const ofFile = this.#counts.get(path) ?? new Map<string, number>();
    ofFile.set(request, (ofFile.get(request) ?? 0) + 1);
    this.#counts.delete(path);
    this.#counts.set(path, ofFile);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > maxFiles && oldest !== undefined) this.#counts.delete(oldest);
  }

  /** The file has changed: the same request may now mean something. */
  forget(path: string): void {
    this.#counts.delete(path);
  }
}
