// Compresses event streams on Node and Deno, where no platform does it. hono/compress handles all other responses but
// not event streams, because `CompressionStream` cannot flush.
import { constants, createGzip } from "node:zlib";
import type { MiddlewareHandler } from "hono";
import { parseAccept } from "hono/utils/accept";

/** Streams are written every few milliseconds, and the fastest level already removes most of JSON's repetitions. */
const streamLevel = 1;

/**
 * Sends an event stream with gzip to a client that accepts it. Each event is readable before the next one is written.
 */
export const compressStreams: MiddlewareHandler = async (c, next) => {
  await next();
  const { headers, body } = c.res;
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (!isStream || body === null || headers.has("content-encoding")) return;
  c.header("vary", "accept-encoding", { append: true });
  const accepted = parseAccept(c.req.header("accept-encoding") ?? "");
  if (!accepted.some(({ type, q }) => type === "gzip" && q > 0)) return;
  c.res = new Response(flushed(body), c.res);
  c.res.headers.delete("content-length");
  c.res.headers.set("content-encoding", "gzip");
};

/** Every chunk is fully output before the next one is read. */
function flushed(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const gzip = createGzip({ level: streamLevel, flush: constants.Z_SYNC_FLUSH });
  const reader = body.getReader();
  return new ReadableStream({
    start(controller) {
      gzip.on("data", (bytes: Uint8Array) => controller.enqueue(new Uint8Array(bytes)));
      gzip.on("error", (error) => controller.error(error));
      gzip.on("end", () => controller.close());
    },
    async pull() {
      const { done, value } = await reader.read();
      if (done) gzip.end();
      else await new Promise((resolve) => gzip.write(value, resolve));
    },
    async cancel(reason) {
      // Bytes that are still being compressed would be written to a closed stream.
      gzip.removeAllListeners("data").removeAllListeners("end").destroy();
      await reader.cancel(reason);
    },
  });
}
