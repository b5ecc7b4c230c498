// Counts requests that were refused because they change nothing, so that a model that repeats itself can be
// told.

/** Files remembered at a time. Models repeat such requests after only a few others. */
const maxFiles = 500;

export class NoChanges {
  readonly #counts = new Map<string, Map<string, number>>();

  /** How often `request` has been counted since the file at `path` last changed. */
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

  /** The file has changed, so the same request may now have an effect. */
  forget(path: string): void {
    this.#counts.delete(path);
  }
}
