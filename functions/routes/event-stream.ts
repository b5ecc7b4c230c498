// Turn events as a server-sent event stream: written together, with a heartbeat, at the reader's pace.
import type { TurnEvent } from "../../shared/event.ts";
import { isDurable } from "../../shared/event.ts";
import type { EventQueue } from "../agent/event-queue.ts";
import { limits } from "../limits.ts";

/** One event in the form of https://html.spec.whatwg.org/multipage/server-sent-events.html. */
function encode(event: TurnEvent): string {
  const id = isDurable(event) ? `id: ${event.id}\n` : "";
  return `${id}event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`;
}

/** `onGone` is called when the reader goes away before the end. */
export function eventStream(queue: EventQueue, now: () => number, onGone: () => void): Response {
  const encoder = new TextEncoder();
  // Who types slowly is passed on at once; only a flood is gathered.
  let burstAt = 0;
  let writes = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      // The headers leave at once, and the reader knows that somebody is there.
      controller.enqueue(encoder.encode(": handrail\n\n"));
    },
    async pull(controller) {
      if (writes >= limits.burstWrites) {
        const leftMs = burstAt + limits.coalesceMs - now();
        if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
        writes = 0;
      }
      const events = await queue.take(limits.heartbeatMs);
      if (!events) {
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(events.length === 0 ? ": ping\n\n" : events.map(encode).join("")));
      if (now() - burstAt >= limits.coalesceMs) {
        burstAt = now();
        writes = 0;
      }
      writes += 1;
    },
    cancel() {
      queue.close();
      onGone();
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      // https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering
      "x-accel-buffering": "no",
    },
  });
}
