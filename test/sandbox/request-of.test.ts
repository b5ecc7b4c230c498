// A request of Node's HTTP server, as a route of the sandbox server receives it: its parts, its body, and a
// client that disconnects.
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { requestOf } from "../../sandbox/request-of.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

interface Served {
  seen: Request;
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

/** The client's request with its body still open, and the server's view of it. */
async function serve(method: string, path: string, begun: string | Buffer = "") {
  const server = createServer();
  ends.push(() => server.close());
  const served = new Promise<Served>((resolve) => {
    server.once("request", (incoming, outgoing) =>
      resolve({ seen: requestOf(incoming, outgoing), incoming, outgoing }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const headers = { host: "sandbox.example:8", "x-request-id": "abc" };
  const client = request({ host: "127.0.0.1", port, method, path, headers });
  client.on("error", () => undefined);
  ends.push(() => client.destroy());
  if (method === "GET") client.end();
  else client.write(begun);
  return { client, ...(await served) };
}

it("has the method, the address, the headers and the body", async () => {
  const { client, seen } = await serve("POST", "/v1/calls?from=2", "first, ");
  client.end("then the rest");
  expect([seen.method, seen.url]).toEqual(["POST", "http://sandbox.example:8/v1/calls?from=2"]);
  expect(seen.headers.get("x-request-id")).toBe("abc");
  expect(await seen.text()).toBe("first, then the rest");
  expect(seen.signal.aborted).toBe(false);
});

it("has no body where the method has none", async () => {
  const { seen } = await serve("GET", "/v1/status");
  expect(seen.body).toBeNull();
});

it("aborts when the client leaves before its answer", async () => {
  const { client, seen } = await serve("GET", "/v1/status");
  const aborted = once(seen.signal, "abort");
  client.destroy();
  await aborted;
});

it("fails the body of a client that leaves while sending it, and aborts", async () => {
  const { client, seen } = await serve("POST", "/v1/calls", "the beginning");
  const text = seen.text();
  client.destroy();
  await expect(text).rejects.toMatchObject({ name: "AbortError" });
  expect(seen.signal.aborted).toBe(true);
});

it("does not abort once its answer was sent", async () => {
  const { client, seen, outgoing } = await serve("POST", "/v1/calls", "half of it");
  const closed = once(outgoing, "close");
  outgoing.end("enough");
  await once(client, "response");
  client.destroy();
  await closed;
  expect(seen.signal.aborted).toBe(false);
});

it("reads no further than its reader, and nothing after it was abandoned", async () => {
  const { seen, incoming } = await serve("POST", "/v1/calls", Buffer.alloc(1_000_000, "a"));
  const reader = seen.body?.getReader();
  const first = await reader?.read();
  expect(first?.value?.constructor).toBe(Uint8Array);
  await once(incoming, "pause");
  await reader?.cancel();
  expect(incoming.listenerCount("data")).toBe(0);
});
