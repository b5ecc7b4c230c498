// A proxy in front of the product, as some owners have one. It serves a new version of the app, or fails once, when
// told to.
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface UpdatingFront {
  /** The origin to use instead of the product's. */
  url: string;
  /** From now on the proxy serves a different service worker. */
  update(): void;
  /** Answers the next request whose path contains `part` with an error; resolves once that has happened. */
  failOnce(part: string): Promise<void>;
  close(): void;
}

export async function startUpdatingFront(target: string): Promise<UpdatingFront> {
  let version = "";
  let fails: { part: string; done(): void } | undefined;
  const server = createServer((incoming, outgoing) => {
    const { url = "/", method } = incoming;
    if (fails !== undefined && url.includes(fails.part)) {
      outgoing.writeHead(503).end(fails.done);
      fails = undefined;
      return;
    }
    const changed = url === "/sw.js" && version !== "";
    // The file must arrive whole and uncompressed, so that something can be appended.
    const { "if-none-match": _known, "accept-encoding": _codings, ...plain } = incoming.headers;
    const headers = changed ? plain : incoming.headers;
    const asked = request(`${target}${url}`, { method, headers }, (answer) => {
      const { "content-length": _length, etag: _etag, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, changed ? kept : answer.headers);
      answer.pipe(outgoing, { end: !changed });
      if (changed) answer.on("end", () => outgoing.end(version));
    });
    asked.on("error", () => outgoing.destroy());
    outgoing.on("close", () => asked.destroy());
    incoming.pipe(asked);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    update: () => {
      version = "\n// The next version.";
    },
    failOnce: (part) =>
      new Promise((done) => {
        fails = { part, done };
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
