// Compresses answers for the entries that serve them without a platform in front (Node, Deno). An event stream leaves
// whole with every write; where that cannot be promised it is left as it is.
import { constants, createGzip } from "node:zlib";

/** JSON and text shorter than this gain nothing. */
const minBytes = 1_000;
/** Streams are written every few milliseconds: the cheapest level already saves most of what repeated JSON costs. */
const streamLevel = 1;

/** `answer` in gzip where `request` takes that and it pays; else `answer` itself. */
export function compressed(request: Request, answer: Response): Response {
  const { headers, body } = answer;
  const type = headers.get("content-type") ?? "";
  const stream = type.startsWith("text/event-stream");
  if (body === null || headers.has("content-encoding") || !/^text\/|json/.test(type)) return answer;
  const small = Number(headers.get("content-length") ?? minBytes) < minBytes;
  if (small || request.method === "HEAD" || answer.status === 206 || !takesGzip(request)) return answer;
  const zipped = stream ? flushed(body) : body.pipeThrough(new CompressionStream("gzip"));
  const changed = new Response(zipped, answer);
  changed.headers.delete("content-length");
  changed.headers.set("content-encoding", "gzip");
  changed.headers.append("vary", "accept-encoding");
  return changed;
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3: a weight of 0 refuses. */
function takesGzip(request: Request): boolean {
  return (request.headers.get("accept-encoding") ?? "")
    .split(",")
    .some((part) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(part));
}

/** Every chunk that goes in comes out before the next one is taken: `CompressionStream` has no flush. */
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
      // What is still being compressed would be written to a stream that takes nothing any more.
      gzip.removeAllListeners("data").removeAllListeners("end").destroy();
      await reader.cancel(reason);
    },
  });
}
