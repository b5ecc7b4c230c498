// Newline-delimited text out of chunks cut anywhere. Used for NDJSON and nothing else.

/** Collects chunks of text and returns whole lines; blank lines are left out. */
export class LineBuffer {
  #rest = "";

  /** The lines that `chunk` completes, without their line ends. */
  push(chunk: string): string[] {
    // A line of megabytes comes in hundreds of chunks: earlier chunks are not searched again for each.
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

  /** Text after the last line end: a torn line when the stream is over. */
  get rest(): string {
    return this.#rest;
  }
}
