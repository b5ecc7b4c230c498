// Keeps the head and the tail of a stream of bytes of any length, and reports how much was cut between them.
import type { Redactor } from "../../shared/redact/redactor.ts";
import { strayHead, unfinishedTail } from "./utf8-chunks.ts";

/** How the kept bytes become text: `clean` is applied first, then secrets are removed. */
export interface OutputFilter {
  clean(text: string): string;
  redactor: Redactor;
}

/**
 * Kept before the shown tail, so that a secret that begins there is recognized. No rule recognizes a longer
 * one.
 */
const beforeTailBytes = 32 * 1024;

export class OutputCollector {
  readonly #maxBytes: number;
  #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  /** All bytes received. */
  total = 0;

  /** Keeps the first and the last `maxBytes` bytes, and some before the last ones. */
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

  /**
   * The text within `allowedBytes` (at most the collector's own limit): head, a line that reports the cut,
   * tail.
   */
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
      // The text that a redacting stream holds back may be half a secret. At the end of the head it is
      // dropped; before the tail it is redacted together with the tail.
      text: `${redactor.stream().push(clean(head.toString()))}\n[… ${cut} bytes cut …]\n${tail.push(clean(kept.toString("utf8", from)))}${tail.end()}`,
      truncated: true,
    };
  }
}

/** Splits a budget between the two streams of a command. Neither gets less than half unless it needs less. */
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
