// One side of the proxy disconnects in the middle of a connection: the other side notices, and nothing stays
// open. Bodies pass unchanged.
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { gate } from "../harness/gate.ts";
import { everything, listening, publicAddress, TestProxy, testReach } from "./network-origin.ts";

let origin: Server;
let proxy: TestProxy;
afterEach(async () => {
  await proxy.stop();
  origin.close();
});

/** A proxy that maps every public host to this origin. `looked`: lookups wait for this promise. */
async function start(answer: (socket: Socket) => void, looked = Promise.resolve()): Promise<void> {
  origin = createServer((socket) => {
    socket.on("error", () => undefined);
    answer(socket);
  });
  const port = await listening(origin);
  const reach = testReach({ "a.test": [[publicAddress]] }, { 80: port, 443: port });
  const { addresses } = reach;
  proxy = await TestProxy.start(
    { ...reach, addresses: (name) => looked.then(() => addresses(name)) },
    undefined,
  );
}

const head = "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n";

test("an origin that resets a tunnel closes it for the command", async () => {
  await start((socket) => socket.once("data", () => socket.resetAndDestroy()));
  const { socket } = await proxy.tunnel("a.test:443");
  socket.write("x");
  expect((await everything(socket)).length).toBe(0);
});

test("a command that leaves in the middle of an answer closes the origin's connection", async () => {
  const closed = gate();
  await start((socket) => {
    socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\n\r\nthe beginning"));
    socket.once("close", closed.open);
  });
  const socket = proxy.socket();
  socket.write(head);
  await once(socket, "data");
  socket.destroy();
  await closed.passed;
});

test("for a command that leaves while its host is looked up, nothing is sent", async () => {
  const looked = gate();
  const closed = gate();
  let heard = 0;
  await start((socket) => {
    socket.on("data", (chunk) => {
      heard += chunk.length;
    });
    socket.once("close", closed.open);
  }, looked.passed);
  const socket = proxy.socket();
  socket.end(head.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  await once(socket, "connect");
  socket.destroy();
  await once(socket, "close");
  looked.open();
  await closed.passed;
  expect(heard).toBe(0);
});

test.each([
  ["with a length", "Content-Length: 5", "hello", /\r\ncontent-length: 5\r\n[\s\S]*\r\n\r\nhello$/i],
  [
    "in pieces",
    "Transfer-Encoding: chunked",
    "5\r\nhello\r\n0\r\n\r\n",
    /\r\ntransfer-encoding: chunked\r\n/i,
  ],
])("a body %s passes unchanged", async (_, header, body, seen) => {
  let heard = "";
  await start((socket) => {
    socket.on("data", (chunk: Buffer) => {
      heard += chunk.toString("latin1");
      if (/hello(\r\n0\r\n\r\n)?$/.test(heard)) socket.end("HTTP/1.1 204 No Content\r\n\r\n");
    });
  });
  await proxy.say(
    `POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n${header}\r\n\r\n${body}`,
  );
  expect(heard).toMatch(seen);
});

test("bytes that a command sends together with its CONNECT are not lost", async () => {
  const heard = gate();
  let said = "";
  await start((socket) => {
    socket.on("data", (chunk: Buffer) => {
      said += chunk.toString("latin1");
      if (said.length >= 8) heard.open();
    });
  });
  const socket = proxy.socket();
  socket.write("CONNECT a.test:443 HTTP/1.1\r\n\r\nat once");
  await once(socket, "data");
  socket.write("!");
  await heard.passed;
  expect(said).toBe("at once!");
});
