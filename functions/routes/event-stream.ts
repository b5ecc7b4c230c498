// Sends turn events as a server-sent event stream: coalesced, with a heartbeat, and at the reader's pace.
import type { TurnEvent } from "../../shared/event.ts";
import { isDurable } from "../../shared/event.ts";
import * as limits from "../limits.ts";
import type { EventQueue } from "../live/event-queue.ts";

/** One event in the form of https://html.spec.whatwg.org/multipage/server-sent-events.html. */
function encode(event: TurnEvent): string {
  const id = isDurable(event) ? `id: ${event.id}\n${event.seen ? `seen: ${event.seen}\n` : ""}` : "";
  return `${id}event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`;
}

export interface StreamOptions {
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  /** How long the stream may be silent before a comment is sent. */
  heartbeatMs: number;
  /** The number of open streams of this process; each stream counts itself. */
  running: { count: number };
  /** Called when the reader detaches before the end. */
  onDetach(): void;
}

export function eventStream(queue: EventQueue, options: StreamOptions): Response {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(new EventBytes(queue, options));
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      // https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering
      "x-accel-buffering": "no",
    },
  });
}

type Controller = ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;

/**
 * Writes as soon as the reader is ready. Pieces of text that arrive in quick succession are held back and written
 * together with the next one. A timer writes them only if no next piece comes, so that not every piece costs a timer.
 */
class EventBytes implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #queue: EventQueue;
  readonly #options: StreamOptions;
  readonly #encoder = new TextEncoder();
  #wanted = false;
  #windowAt = 0;
  #writes = 0;
  #wroteAt: number;
  #holding: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setTimeout> | undefined;
  #counted = true;

  constructor(queue: EventQueue, options: StreamOptions) {
    this.#queue = queue;
    this.#options = options;
    this.#wroteAt = options.elapsed();
    options.running.count += 1;
  }

  start(controller: Controller): void {
    // Sends the headers immediately, which shows the reader that the server responds.
    controller.enqueue(this.#encoder.encode(": handrail\n\n"));
    this.#beat(controller);
    this.#queue.onChange = () => this.#flush(controller);
    if (this.#queue.ended) this.#settle();
  }

  pull(controller: Controller): void {
    this.#wanted = true;
    this.#flush(controller);
  }

  cancel(): void {
    this.#wanted = false;
    this.#queue.close();
    this.#options.onDetach();
  }

  #flush(controller: Controller): void {
    const queue = this.#queue;
    if (queue.ended) this.#settle();
    if (!this.#wanted || (queue.empty && !queue.ended)) return;
    if (queue.empty) {
      // If the reader detaches after the last event, this is called a second time.
      this.#wanted = false;
      controller.close();
    } else if (!queue.urgent && this.#isFlood()) this.#hold(controller);
    else {
      this.#writes += 1;
      this.#write(controller, queue.take().map(encode).join(""));
    }
  }

  #write(controller: Controller, text: string): void {
    this.#wanted = false;
    this.#wroteAt = this.#options.elapsed();
    controller.enqueue(this.#encoder.encode(text));
  }

  #isFlood(): boolean {
    const at = this.#options.elapsed();
    const crowded = this.#options.running.count >= limits.crowdedStreams;
    if (at - this.#windowAt >= (crowded ? limits.crowdedCoalesceMs : limits.coalesceMs)) {
      this.#windowAt = at;
      this.#writes = 0;
    }
    return this.#writes >= (crowded ? 1 : limits.burstWrites);
  }

  #hold(controller: Controller): void {
    this.#holding ??= setTimeout(() => {
      this.#holding = undefined;
      this.#flush(controller);
    }, limits.crowdedCoalesceMs);
  }

  /** Uses one timer that is set again after writes, instead of one timer for each write. */
  #beat(controller: Controller): void {
    const { heartbeatMs, elapsed } = this.#options;
    const leftMs = this.#wroteAt + heartbeatMs - elapsed();
    if (leftMs <= 0 && this.#wanted) this.#write(controller, ": ping\n\n");
    this.#heartbeat = setTimeout(() => this.#beat(controller), leftMs > 0 ? leftMs : heartbeatMs);
  }

  /** The turn has ended: waiting events are written immediately. */
  #settle(): void {
    clearTimeout(this.#holding);
    clearTimeout(this.#heartbeat);
    if (this.#counted) this.#options.running.count -= 1;
    this.#counted = false;
  }
}
