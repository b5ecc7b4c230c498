// Keeps the head and the tail of an endless stream of bytes, and says how much between them was cut.
import type { Redactor } from "../../shared/redact/redactor.ts";
import { strayHead, unfinishedTail } from "./utf8-chunks.ts";

/** How the kept bytes become text: `clean` first, then without secrets. */
export interface OutputFilter {
  clean(text: string): string;
  redactor: Redactor;
}

/** Kept before the tail that is shown: a secret that begins there is known as one. Longer ones are nowhere known. */
const beforeTailBytes = 32 * 1024;

export class OutputCollector {
  readonly #maxBytes: number;
  #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  /** All bytes seen. */
  total = 0;

  /** Keeps the first and the last `maxBytes` bytes, and some before those. */
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
      first && this.#tailBytes - first.length >= this.#maxBytes + beforeTailBytes;
      first = this.#tail[0]
    ) {
      this.#tailBytes -= first.length;
      this.#tail.shift();
    }
  }

  /** The text within `allowedBytes` (at most the collector's own limit): head, a line that tells of the cut, tail. */
  text(allowedBytes: number, { clean, redactor }: OutputFilter): { text: string; truncated: boolean } {
    const kept = Buffer.concat([...this.#head, ...this.#tail]);
    if (this.total <= allowedBytes && kept.length === this.total)
      return { text: redactor.redact(clean(kept.toString())), truncated: false };
    const half = Math.floor(allowedBytes / 2);
    const head = kept.subarray(0, half - unfinishedTail(kept.subarray(0, half)));
    let from = kept.length - (allowedBytes - half);
    from += strayHead(kept.subarray(from));
    const before = kept.subarray(kept.length === this.total ? 0 : this.#headBytes, from);
    const tail = redactor.stream();
    tail.push(clean(before.toString()));
    const cut = this.total - head.length - (kept.length - from);
    return {
      // What a stream holds back may be half a secret: at the end of the head it is not shown, before the tail it counts.
      text: `${redactor.stream().push(clean(head.toString()))}\n[… ${cut} bytes cut …]\n${tail.push(clean(kept.toString("utf8", from)))}${tail.end()}`,
      truncated: true,
    };
  }
}

/** Splits a budget between the two streams of a command: the smaller one keeps all it can. */
export function shareOutput(
  maxBytes: number,
  stdout: OutputCollector,
  stderr: OutputCollector,
  shown: OutputFilter,
) {
  const half = Math.floor(maxBytes / 2);
  const forErr = Math.min(stderr.total, Math.max(half, maxBytes - stdout.total));
  const out = stdout.text(maxBytes - forErr, shown);
  const err = stderr.text(forErr, shown);
  return { stdout: out.text, stderr: err.text, truncated: out.truncated || err.truncated };
}
