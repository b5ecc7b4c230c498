// Compresses event streams for the entries that serve them without a platform in front (Node, Deno). hono/compress does
// the same for everything else; it leaves event streams alone, since `CompressionStream` has no flush.
import { constants, createGzip } from "node:zlib";
import type { MiddlewareHandler } from "hono";
import { parseAccept } from "hono/utils/accept";

/** Streams are written every few milliseconds: the cheapest level already saves most of what repeated JSON costs. */
const streamLevel = 1;

/** Sends an event stream in gzip to a client that takes it. Each event can be read before the next one is written. */
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

/** Every chunk that goes in comes out before the next one is taken. */
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
      // Bytes still being compressed would be written to a stream that takes nothing any more.
      gzip.removeAllListeners("data").removeAllListeners("end").destroy();
      await reader.cancel(reason);
    },
  });
}
