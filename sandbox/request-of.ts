// The web's Request for a request of Node's HTTP server, and back from a Response. node-fetch-server has this too, with
// HTTP/2 and what proxies say of themselves, neither of which reaches this server; @hono/node-server is larger still.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeStream } from "node:stream/web";

/** Its signal aborts, and its body fails, when the client leaves before `outgoing` is finished. */
export function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const gone = new AbortController();
  const leave = () => outgoing.writableFinished || gone.abort();
  outgoing.once("close", leave);
  const { method = "GET", headers, url } = incoming;
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(`http://${headers.host ?? "localhost"}${url}`, {
    method,
    // The only header that Node gives as a list is Set-Cookie, which no request has.
    headers: headers as Record<string, string>,
    signal: gone.signal,
    ...(hasBody && { body: bodyOf(incoming, leave), duplex: "half" }),
  });
}

/** Read at the pace of its reader; `cut`: called when it ends too early. */
function bodyOf(incoming: IncomingMessage, cut: () => void): ReadableStream<Uint8Array> {
  let release: () => void = () => undefined;
  return new ReadableStream({
    start(controller) {
      const onData = (chunk: Buffer) => {
        controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      };
      const onEnd = () => {
        release();
        controller.close();
      };
      const onClose = () => {
        release();
        cut();
        controller.error(new DOMException("The request was aborted.", "AbortError"));
      };
      release = () => {
        incoming.off("data", onData).off("end", onEnd).off("close", onClose);
      };
      incoming.on("data", onData).once("end", onEnd).once("close", onClose);
    },
    pull: () => void incoming.resume(),
    cancel: () => release(),
  });
}

/** Sent at the pace of its reader. Rejects, with the body cancelled, when the client leaves before its end. */
export async function send({ status, headers, body }: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(status, Object.fromEntries(headers));
  if (body) await pipeline(Readable.fromWeb(body as NodeStream), outgoing);
  else outgoing.end();
}
