// Requests that no honest client sends, and clients that do not read: the server answers clearly and keeps
// working.
import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { ErrorBody } from "../../shared/errors.ts";
import { RunningServer, removeFolders, token, until } from "./running-server.ts";

let server: RunningServer;
let id: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  server = await RunningServer.start();
  ({ id } = await server.client.create({ source: { sample: true } }));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.stop();
  await removeFolders();
});

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const call = (args: string) => `{"calls":[{"key":"k","op":"read","args":${args}}]}`;
const bodies: [string, string, number][] = [
  ["half an object", '{"calls":', 400],
  ["an array", "[]", 400],
  ["null", "null", 400],
  ["a field that is unknown", '{"calls":[],"hurry":1}', 400],
  ["a prototype", '{"__proto__":{"access":"write"},"calls":[]}', 400],
  ["arguments nested without end", call(`{"path":${nested(50_000)}}`), 400],
  [
    "a record nested without end",
    `{"turn":{"id":"d","epoch":1,"round":0,"record":[{"id":1,"event":"m","data":${nested(50_000)}}]},"calls":[]}`,
    400,
  ],
  ["a key of 201 characters", `{"calls":[{"key":"${"k".repeat(201)}","op":"list","args":{}}]}`, 400],
  [
    "201 calls",
    `{"calls":[${Array.from({ length: 201 }, (_, n) => `{"key":"${n}","op":"list","args":{}}`).join()}]}`,
    400,
  ],
  ["an unknown op", '{"calls":[{"key":"k","op":"rm","args":{}}]}', 400],
  ["an epoch that is no number", '{"turn":{"id":"t","epoch":"1","round":0},"calls":[]}', 400],
  ["33 MB", `{"calls":"${"x".repeat(33 * 1024 * 1024)}"}`, 413],
];

test.each(bodies)("a body of %s is refused by name, and nothing is recorded", async (_name, body, status) => {
  const response = await server.client.fetch(`/sandboxes/${id}/calls`, { method: "POST", body });
  const { error } = z.parse(ErrorBody, await response.json());
  expect([response.status, error.retryable]).toEqual([status, false]);
  expect(error.message).toMatch(/^(The body|body)/);
  expect((await server.client.get(`/sandboxes/${id}/turns/d`)).status).toBe(404);
});

const many = 3_000_000;
test.each([
  ["empty calls", `{"calls":[${"{},".repeat(many)}{}]}`],
  ["empty events", `{"turn":{"id":"d","epoch":1,"round":0,"record":[${"{},".repeat(many)}{}]},"calls":[]}`],
  ["fields", `{${Array.from({ length: many / 3 }, (_, n) => `"k${n}":1`).join()},"calls":[]}`],
])("a body of a million %s and more is refused before it is parsed", async (_name, body) => {
  const response = await server.client.fetch(`/sandboxes/${id}/calls`, { method: "POST", body });
  const { error } = z.parse(ErrorBody, await response.json());
  expect([response.status, error.message]).toEqual([400, "The body is too large: more than 250000 values."]);
});

test("a body with more faults than can be named is refused like any other", async () => {
  const record = `[${"{},".repeat(200_000)}{}]`;
  const body = `{"turn":{"id":"d","epoch":1,"round":0,"record":${record}},"calls":[]}`;
  const response = await server.client.fetch(`/sandboxes/${id}/calls`, { method: "POST", body });
  expect([response.status, z.parse(ErrorBody, await response.json()).error.code]).toEqual([
    400,
    "invalid_request",
  ]);
});

test("a request refused before its body arrived does not affect the next one on its connection", async () => {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  sockets.push(socket);
  let heard = "";
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.on("error", () => undefined);
  socket.on("data", (chunk: Buffer) => {
    heard += chunk.toString();
  });
  const head = (line: string, more: string) => `${line} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
  const answers = () =>
    heard
      .split("HTTP/1.1 ")
      .slice(1)
      .map((answer) => answer.slice(0, 3));
  socket.write(head(`POST /v1/sandboxes/${id}/calls`, "Content-Length: 2\r\n"));
  await until(async () => answers().length === 1);
  // Takes longer than the server waits for a client that reads its answer and sends nothing more.
  const body =
    '{"access":"write","calls":[{"key":"after","op":"exec","args":{"command":"sleep 1; echo whole"}}]}';
  const more = `Authorization: Bearer ${token}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n`;
  socket.write(`{}${head(`POST /v1/sandboxes/${id}/calls`, more)}${body}`);
  await closed;
  expect([answers(), heard.includes("whole\\n")]).toEqual([["401", "200"], true]);
});

test("a body of undeclared length is read to its limit and no further", async () => {
  let sent = 0;
  const endless = new ReadableStream({
    pull(controller) {
      sent += 1;
      controller.enqueue(Buffer.alloc(1024 * 1024, 32));
    },
  });
  const init = { method: "POST", body: endless, duplex: "half" };
  const response = await server.client.fetch(`/sandboxes/${id}/calls`, init);
  expect([response.status, z.parse(ErrorBody, await response.json()).error.code]).toEqual([413, "too_large"]);
  expect(sent).toBeLessThan(200);
});

/** Sends `text` on a new connection and never reads from it. */
function unread(text: string): Socket {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(text);
  sockets.push(socket);
  return socket;
}
const get = (path: string) =>
  `GET /v1/sandboxes/${id}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;

async function residentMb(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

test("a thousand readers wait for a turn at once, all are notified, and the server still answers", {
  tags: "long",
}, async () => {
  await server.client.claim(id, "watched", { epoch: 1 });
  let ended = 0;
  for (let index = 0; index < 1_000; index++) {
    const socket = unread(get("/turns/watched?from=1&waitMs=25000"));
    let text = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk) => {
      text += chunk;
      if (!text.includes('"turn.done"')) return;
      ended += 1;
      socket.destroy();
    });
    socket.resume();
  }
  await until(async () => (await server.client.get("/capabilities")).status === 200);
  await server.client.post(`/sandboxes/${id}/calls`, {
    turn: { id: "watched", epoch: 1, round: 0, record: [{ id: 1, event: "turn.done", data: {} }] },
    calls: [],
  });
  await until(() => ended === 1_000);
  expect(server.log).not.toContain("Warning");
});

test.runIf(process.platform === "linux")(
  "for a client that does not read, a long journal is not read ahead",
  { tags: "long" },
  async () => {
    const text = "x".repeat(200_000);
    for (let round = 1; round <= 100; round++)
      await server.client.post(`/sandboxes/${id}/calls`, {
        turn: { id: "long", epoch: 1, round, record: [{ id: round, event: "message", data: { text } }] },
        calls: [],
      });
    const before = await residentMb();
    for (let index = 0; index < 60; index++) unread(get("/turns/long?from=1&waitMs=25000"));
    const whole = await server.client.journal(id, "long");
    expect(whole).toHaveLength(101);
    // Reading all of them in advance would take 1,200 MB.
    expect((await residentMb()) - before).toBeLessThan(400);
  },
);

test("a client that hangs up in mid-request is not logged as our error", async () => {
  const head = `POST /v1/sandboxes/${id}/calls HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100\r\n\r\n{`;
  const socket = unread(head);
  await until(() => socket.bytesWritten === head.length);
  socket.destroy();
  expect((await server.client.get("/capabilities")).status).toBe(200);
  expect(server.log).toBe("");
});

test("a connection stays open between two requests for longer than any edge host waits", async () => {
  const { headers } = await server.client.fetch("/capabilities");
  const seconds = /timeout=(\d+)/.exec(headers.get("keep-alive") ?? "")?.[1];
  // Deno keeps a connection for 90 seconds. A request that is sent while the server closes it would be lost.
  expect(Number(seconds)).toBeGreaterThan(90);
});
