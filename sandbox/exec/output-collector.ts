// Keeps the head and the tail of an endless stream of bytes, and says what was cut in between.
import { strayHead, unfinishedTail } from "./utf8-chunks.ts";

type Clean = (text: string) => string;

export class OutputCollector {
  readonly #maxBytes: number;
  #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  /** All bytes seen. */
  total = 0;

  /** Keeps the first and the last `maxBytes` bytes. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    this.total += chunk.length;
    const room = this.#maxBytes - this.#headBytes;
    if (room > 0) {
      const part = chunk.subarray(0, room);
      this.#head.push(Buffer.from(part));
      this.#headBytes += part.length;
      if (part.length === chunk.length) return;
      chunk = chunk.subarray(part.length);
    }
    this.#tail.push(Buffer.from(chunk));
    this.#tailBytes += chunk.length;
    for (
      let first = this.#tail[0];
      first && this.#tailBytes - first.length >= this.#maxBytes;
      first = this.#tail[0]
    ) {
      this.#tailBytes -= first.length;
      this.#tail.shift();
    }
  }

  /** The text within `allowedBytes` (at most the collector's own limit): head, a line that tells of the cut, tail. */
  text(allowedBytes: number, clean: Clean): { text: string; truncated: boolean } {
    const kept = Buffer.concat([...this.#head, ...this.#tail]);
    if (this.total <= allowedBytes && kept.length === this.total)
      return { text: clean(kept.toString()), truncated: false };
    const half = Math.floor(allowedBytes / 2);
    let head = kept.subarray(0, half);
    let tail = kept.subarray(kept.length - (allowedBytes - half));
    head = head.subarray(0, head.length - unfinishedTail(head));
    tail = tail.subarray(strayHead(tail));
    const cut = this.total - head.length - tail.length;
    return {
      text: `${clean(head.toString())}\n[… ${cut} bytes cut …]\n${clean(tail.toString())}`,
      truncated: true,
    };
  }
}

/** Splits a budget between the two streams of a command: the smaller one keeps all it can. */
export function shareOutput(
  maxBytes: number,
  stdout: OutputCollector,
  stderr: OutputCollector,
  clean: Clean,
) {
  const half = Math.floor(maxBytes / 2);
  const forErr = Math.min(stderr.total, Math.max(half, maxBytes - stdout.total));
  const out = stdout.text(maxBytes - forErr, clean);
  const err = stderr.text(forErr, clean);
  return { stdout: out.text, stderr: err.text, truncated: out.truncated || err.truncated };
}
