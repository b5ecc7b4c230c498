// Reads model answers on workerd, where resuming JavaScript for a chunk costs as much as forwarding it.
import * as limits from "./limits.ts";
import type { BodyReader, ReadBody } from "./model/body-reader.ts";

/** The size of a read: enough for what a fast model sends in one pause. */
const readBytes = 16 * 1024;
/** How much the runtime drains without resuming our code. */
const drainBytes = 64 * 1024;
/**
 * How much may be buffered before the drain waits for us: during a pause, far more can arrive than a model usually
 * sends.
 */
const maxAheadBytes = 4 * drainBytes;

/** Reading is given up after this long, because the platform may end a request silently. */
const forgottenMs = 2 * 60_000;

/**
 * Passes pieces on as they arrive until `limits.crowdedStreams` answers are read at once. Beyond that, each reader
 * pauses for `limits.crowdedReadMs` after a piece and gets everything that arrived meanwhile in the next one. A read in
 * workerd returns only one piece of a body even if many are waiting, except from the buffer of a tee's branch whose
 * twin was read first.
 */
export function createPacedReading(): ReadBody {
  const open = new Set<{ readAt: number }>();
  const isCrowd = (now: number) => {
    for (const one of open) if (now - one.readAt > forgottenMs) open.delete(one);
    return open.size >= limits.crowdedStreams;
  };
  return (body): BodyReader => {
    const [ours, twin] = body.tee();
    const reader = ours.getReader({ mode: "byob" });
    const lead = new Lead();
    // An error also breaks our own branch, which reports it.
    drain(twin, lead).catch(() => undefined);
    let buffer = new ArrayBuffer(readBytes);
    let rests = false;
    const own = { readAt: performance.now() };
    open.add(own);
    return {
      async read(atOnce = false) {
        own.readAt = performance.now();
        if (rests && !atOnce && isCrowd(own.readAt)) await rest();
        const { done, value } = await reader.read(new Uint8Array(buffer));
        if (value === undefined) return { done };
        buffer = value.buffer;
        lead.taken(value.byteLength);
        // If the buffer was full, the model is faster than we read.
        rests = value.byteLength < readBytes;
        return { done, value };
      },
      end: () => void open.delete(own),
    };
  };
}

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, limits.crowdedReadMs));
}

/** How far the drain is ahead of our reads. */
class Lead {
  #bytes = 0;
  #resume: (() => void) | undefined;

  /** Resolves when the drain may continue. */
  async drained(bytes: number): Promise<void> {
    this.#bytes += bytes;
    while (this.#bytes > maxAheadBytes) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
  }

  taken(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes <= maxAheadBytes) this.#resume?.();
  }
}

/** Reads all of `body` and discards it. The native pipe lets pieces pass without resuming our code. */
async function drain(body: ReadableStream<Uint8Array<ArrayBuffer>>, lead: Lead): Promise<void> {
  const reader = body.pipeThrough(new IdentityTransformStream()).getReader({ mode: "byob" });
  for (let buffer = new ArrayBuffer(drainBytes); ; ) {
    const { done, value } = await reader.readAtLeast(drainBytes, new Uint8Array(buffer));
    if (done || value === undefined) return;
    buffer = value.buffer;
    await lead.drained(value.byteLength);
  }
}
