// Splits text that arrives in arbitrary chunks into lines. Used for NDJSON only.

/** Collects chunks of text and returns whole lines; skips blank lines. */
export class LineBuffer {
  #rest = "";

  /** The lines that `chunk` completes, without their line ends. */
  push(chunk: string): string[] {
    // A line of megabytes arrives in hundreds of chunks; this avoids searching the earlier chunks again for each.
    if (!chunk.includes("\n")) {
      this.#rest += chunk;
      return [];
    }
    const parts = (this.#rest + chunk).split("\n");
    this.#rest = parts.pop() ?? "";
    return parts
      .map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
      .filter((line) => line !== "");
  }

  /** The text after the last line end. When the stream is over, this is an incomplete line. */
  get rest(): string {
    return this.#rest;
  }
}
