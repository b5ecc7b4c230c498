// Converts a request of Node's HTTP server to a Web Request, and sends a Response back. node-fetch-server
// does the same, but also brings HTTP/2 and proxy headers, neither of which reaches this server;
// @hono/node-server is larger still.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeStream } from "node:stream/web";

/** Its signal aborts and its body fails if the client leaves before `outgoing` is finished. */
export function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const gone = new AbortController();
  const leave = () => outgoing.writableFinished || gone.abort();
  outgoing.once("close", leave);
  const { method = "GET", headers, url } = incoming;
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(`http://${headers.host ?? "localhost"}${url}`, {
    method,
    // Node gives only Set-Cookie as a list, which no request has.
    headers: headers as Record<string, string>,
    signal: gone.signal,
    ...(hasBody && { body: bodyOf(incoming, leave), duplex: "half" }),
  });
}

/** Reads at the pace of the consumer. `cut`: called if the body ends too early. */
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

/** Sends at the pace of the client. Rejects, and cancels the body, if the client leaves before the end. */
export async function send({ status, headers, body }: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(status, Object.fromEntries(headers));
  if (body) await pipeline(Readable.fromWeb(body as NodeStream), outgoing);
  else outgoing.end();
}
