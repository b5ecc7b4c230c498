// Reads model answers in workerd, where waking JavaScript for a chunk costs as much as forwarding it.
import * as limits from "./limits.ts";
import type { BodyReader, ReadBody } from "./model/body-reader.ts";

/** Room for what a fast model says in one pause. */
const readBytes = 16 * 1024;
/** What the runtime drains without waking us. */
const drainBytes = 64 * 1024;
/** What may gather before the drain waits for us: a pause can let in far more than a model says. */
const maxAheadBytes = 4 * drainBytes;

/** Give up after this long: the platform may end a request silently. */
const forgottenMs = 2 * 60_000;

/**
 * Passes pieces on as they come until `limits.crowdedStreams` answers are read at once. From then on each pauses for
 * `limits.crowdedReadMs` after a piece and gets all that came meanwhile in the next one. A read in workerd returns one
 * piece of a body, however many wait, unless they wait in the buffer of a tee's branch whose twin was read first.
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
    // It breaks off with ours, which tells.
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
        // Where more than fitted has come, the model is faster than we are.
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

/** How far the drain is ahead of what we took. */
class Lead {
  #bytes = 0;
  #goOn: (() => void) | undefined;

  /** Resolves when the drain may take more. */
  async drained(bytes: number): Promise<void> {
    this.#bytes += bytes;
    while (this.#bytes > maxAheadBytes) {
      await new Promise<void>((resolve) => {
        this.#goOn = resolve;
      });
    }
  }

  taken(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes <= maxAheadBytes) this.#goOn?.();
  }
}

/** Takes all of `body` and keeps nothing; through the native pipe, so that pieces wake nobody. */
async function drain(body: ReadableStream<Uint8Array<ArrayBuffer>>, lead: Lead): Promise<void> {
  const reader = body.pipeThrough(new IdentityTransformStream()).getReader({ mode: "byob" });
  for (let buffer = new ArrayBuffer(drainBytes); ; ) {
    const { done, value } = await reader.readAtLeast(drainBytes, new Uint8Array(buffer));
    if (done || value === undefined) return;
    buffer = value.buffer;
    await lead.drained(value.byteLength);
  }
}
