// Tunnels that do not carry what they were opened for, and connections that are slow, incomplete, too large
// or too frequent.
import { once } from "node:events";
import { connect as connectTls } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { everything, publicAddress, rawOrigin, TestProxy, testReach } from "./network-origin.ts";
import { rules, statusOf, World } from "./network-world.ts";

let world: World;
let proxy: TestProxy;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(async () => {
  await proxy.stop();
  world.forget();
});

/** The first message of a TLS connection that names `servername`, written by Node's own client. */
async function helloFor(servername: string | undefined): Promise<Buffer> {
  const { Duplex } = await import("node:stream");
  return new Promise((resolve) => {
    const wire = new Duplex({ read: () => undefined, write: (chunk: Buffer) => resolve(chunk) });
    connectTls({ socket: wire, ...(servername === undefined ? {} : { servername }) }).on(
      "error",
      () => undefined,
    );
  });
}

/** `hello` with one more extension appended. */
function withExtension(hello: Buffer, type: number, body: Buffer): Buffer {
  const extension = Buffer.alloc(4 + body.length);
  extension.writeUInt16BE(type, 0);
  extension.writeUInt16BE(body.length, 2);
  body.copy(extension, 4);
  const made = Buffer.concat([hello, extension]);
  made.writeUInt16BE(made.readUInt16BE(3) + extension.length, 3);
  made.writeUIntBE(made.readUIntBE(6, 3) + extension.length, 6, 3);
  // version, random, session id, ciphers, compression: then the length of all extensions.
  let at = 9 + 2 + 32;
  at += 1 + made.readUInt8(at);
  at += 2 + made.readUInt16BE(at);
  at += 1 + made.readUInt8(at);
  made.writeUInt16BE(made.readUInt16BE(at) + extension.length, at);
  return made;
}

/** The same hello in records of `size` bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5);
  const parts: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) {
    const piece = message.subarray(at, at + size);
    parts.push(Buffer.from([22, 3, 1, piece.length >> 8, piece.length & 255]), piece);
  }
  return Buffer.concat(parts);
}

const nameOf = (host: string) => {
  const name = Buffer.from(host);
  const body = Buffer.alloc(5 + name.length);
  body.writeUInt16BE(3 + name.length, 0);
  body.writeUInt16BE(name.length, 3);
  name.copy(body, 5);
  return body;
};

/** The bytes that an origin received in a tunnel to an allowed host. */
async function tunnelled(
  authority: string,
  bytes: Buffer | string,
): Promise<{ heard: Buffer; answer: Buffer }> {
  const { socket, answer } = await proxy.tunnel(authority);
  expect(statusOf(answer)).toBe(200);
  socket.write(bytes);
  const answered = await everything(socket);
  return { heard: Buffer.concat(world.raw.heard), answer: answered };
}

const alert = Buffer.from([21, 3, 3, 0, 2, 2, 49]);

describe("a tunnel to an allowed host", () => {
  test.each([1, 7, 100, 16_000])("carries a hello that names it, in records of %d bytes", async (size) => {
    proxy = await world.proxy();
    const hello = inRecords(await helloFor("allowed.test"), size);
    const { heard, answer } = await tunnelled("allowed.test:443", hello);
    expect(heard.equals(hello)).toBe(true);
    expect(answer.toString()).toBe("from the origin");
  });

  test.each(["ALLOWED.TEST", "allowed.test."])("accepts the name as %s", async (name) => {
    proxy = await world.proxy();
    const hello = withExtension(await helloFor(undefined), 0, nameOf(name));
    expect((await tunnelled("allowed.test:443", hello)).heard.equals(hello)).toBe(true);
  });

  test.each<[string, () => Promise<Buffer | string>]>([
    ["TLS for another host", () => helloFor("evil.test")],
    ["TLS for a host below it", () => helloFor("sub.allowed.test")],
    ["TLS for a name that begins with it", () => helloFor("allowed.test.evil.test")],
    ["TLS without a name", () => helloFor(undefined)],
    [
      "a name after a NUL",
      async () => withExtension(await helloFor(undefined), 0, nameOf("allowed.test\0.evil.test")),
    ],
    ["an empty name", async () => withExtension(await helloFor(undefined), 0, nameOf(""))],
    ["two names", async () => withExtension(await helloFor("allowed.test"), 0, nameOf("evil.test"))],
    [
      "two names, the allowed one last",
      async () => withExtension(await helloFor("evil.test"), 0, nameOf("allowed.test")),
    ],
    [
      "a second, encrypted hello",
      async () => withExtension(await helloFor("allowed.test"), 0xfe0d, Buffer.alloc(64)),
    ],
    [
      "an encrypted name of the draft",
      async () => withExtension(await helloFor("allowed.test"), 0xffce, Buffer.alloc(64)),
    ],
    ["another host in records of one byte", async () => inRecords(await helloFor("evil.test"), 1)],
    [
      "a record of another kind inside",
      async () => {
        const hello = inRecords(await helloFor("allowed.test"), 60);
        return Buffer.concat([hello.subarray(0, 65), Buffer.from([23, 3, 1, 0, 1, 0]), hello.subarray(65)]);
      },
    ],
    [
      "an empty record",
      async () => Buffer.concat([Buffer.from([22, 3, 1, 0, 0]), await helloFor("allowed.test")]),
    ],
    ["a hello of SSL 2", async () => Buffer.from([0x80, 0x2e, 1, 3, 1, 0, 0x15, 0, 0, 0, 0x10])],
    [
      "a hello without end",
      async () =>
        Buffer.concat([Buffer.from([22, 3, 1, 0x40, 0, 1, 0xff, 0xff, 0xff]), Buffer.alloc(20_000)]),
    ],
    ["ssh", async () => "SSH-2.0-OpenSSH_9.2\r\n"],
    ["mail", async () => "EHLO evil.test\r\n"],
    ["plain http", async () => "GET / HTTP/1.1\r\nHost: allowed.test\r\n\r\n"],
    ["a proxy's request", async () => "CONNECT evil.test:443 HTTP/1.1\r\n\r\n"],
    ["zeros", async () => Buffer.alloc(64)],
  ])("is closed for %s", async (_what, bytes) => {
    proxy = await world.proxy();
    const { heard, answer } = await tunnelled("allowed.test:443", await bytes());
    expect(heard.length).toBe(0);
    expect(answer.equals(alert)).toBe(true);
    expect(proxy.refused).toEqual(["allowed.test another_name"]);
  });

  test("at an explicitly named port carries plain protocols, and TLS for that host alone", async () => {
    proxy = await world.proxy();
    expect((await tunnelled("named.test:8443", "SSH-2.0-x\r\n")).heard.toString()).toBe("SSH-2.0-x\r\n");
    world.forget();
    expect((await tunnelled("named.test:8443", await helloFor("evil.test"))).heard.length).toBe(0);
    expect((await tunnelled("named.test:8443", await helloFor("named.test"))).heard.length).toBeGreaterThan(
      0,
    );
  });

  test("at an explicitly named port carries TLS without a name, and nothing that merely starts like TLS", async () => {
    proxy = await world.proxy();
    expect((await tunnelled("named.test:8443", await helloFor(undefined))).heard.length).toBeGreaterThan(0);
    world.forget();
    expect((await tunnelled("named.test:8443", Buffer.from([22, 9, 9, 9]))).heard.length).toBe(0);
    expect(proxy.refused).toEqual(["named.test:8443 another_name"]);
  });

  test("by its address carries TLS without a name, as clients write it then", async () => {
    proxy = await world.proxy([publicAddress]);
    expect((await tunnelled(`${publicAddress}:443`, await helloFor(undefined))).heard.length).toBeGreaterThan(
      0,
    );
    world.forget();
    expect((await tunnelled(`${publicAddress}:443`, await helloFor("evil.test"))).heard.length).toBe(0);
  });

  test("at port 80 carries HTTP requests and nothing else", async () => {
    proxy = await world.proxy();
    expect((await tunnelled("allowed.test:80", "SSH-2.0-x\r\n")).answer.equals(alert)).toBe(true);
    expect(proxy.refused).toEqual(["allowed.test another_name"]);
  });

  test("is not inspected where every public host is open", async () => {
    proxy = await world.proxy("all");
    expect((await tunnelled("allowed.test:22", "SSH-2.0-x\r\n")).heard.toString()).toBe("SSH-2.0-x\r\n");
  });
});

describe("a client that", () => {
  test("sends its headers byte by byte is cut off", async () => {
    proxy = await world.proxy(rules, { headersMs: 200 });
    const socket = proxy.socket();
    const drops = setInterval(() => socket.write("X-A: b\r\n"), 20);
    socket.write("GET http://allowed.test/ HTTP/1.1\r\n");
    expect(statusOf((await everything(socket)).toString())).toBe(400);
    clearInterval(drops);
    expect(world.seen).toEqual([]);
  });

  test("opens a tunnel and sends nothing, or half a hello, is cut off", async () => {
    proxy = await world.proxy(rules, { headersMs: 200 });
    const silent = await proxy.tunnel("allowed.test:443");
    expect((await everything(silent.socket)).length).toBe(0);
    const half = await proxy.tunnel("allowed.test:443");
    half.socket.write((await helloFor("allowed.test")).subarray(0, 50));
    expect((await everything(half.socket)).length).toBe(0);
    expect(world.raw.heard).toEqual([]);
  });

  test("leaves in the middle of a hello leaves nothing open", async () => {
    proxy = await world.proxy();
    const { socket } = await proxy.tunnel("allowed.test:443");
    socket.write((await helloFor("allowed.test")).subarray(0, 50));
    socket.end();
    expect((await everything(socket)).length).toBe(0);
  });

  test("closes its half early still gets the whole answer", async () => {
    proxy = await world.proxy("all");
    const { socket } = await proxy.tunnel("allowed.test:22");
    socket.end("question");
    expect((await everything(socket)).toString()).toBe("from the origin");
  });

  test("is silent too long is cut off", async () => {
    proxy = await world.proxy(rules, { idleMs: 200 });
    expect((await everything(proxy.socket())).length).toBe(0);
  });

  test.each([
    ["one huge header", `X-A: ${"b".repeat(40_000)}\r\n`],
    ["very many headers", "X-A: b\r\n".repeat(8_000)],
    ["a huge line", ""],
  ])("sends %s is refused", async (what, headers) => {
    proxy = await world.proxy();
    const path = what === "a huge line" ? "p".repeat(40_000) : "";
    const bytes = `GET http://allowed.test/${path} HTTP/1.1\r\nHost: allowed.test\r\n${headers}\r\n`;
    expect(statusOf(await proxy.say(bytes))).toBe(400);
    expect(world.seen).toEqual([]);
  });

  test("opens a thousand connections gets as many as are allowed, and the server keeps working", async () => {
    proxy = await world.proxy(rules, { connections: 50 });
    const all = Array.from({ length: 1_000 }, () => proxy.socket());
    let turnedAway = 0;
    const left = new Promise<void>((resolve) => {
      for (const socket of all) {
        const away = () => {
          turnedAway += 1;
          if (turnedAway === 950) resolve();
        };
        // The server closes it, or the kernel does if even its queue is full.
        socket.once("end", away);
        socket.once("error", away);
        socket.resume();
      }
    });
    await left;
    for (const socket of all) socket.destroy();
    await expect.poll(async () => statusOf(await get()), { timeout: 60_000 }).toBe(200);
  });

  test("opens one connection more than is allowed is turned away, while the others stay", async () => {
    proxy = await world.proxy(rules, { connections: 5, headersMs: 60_000 });
    const open = Array.from({ length: 5 }, () => proxy.socket());
    await Promise.all(open.map((socket) => once(socket, "connect")));
    expect((await everything(proxy.socket())).length).toBe(0);
    expect(open.filter((socket) => socket.destroyed)).toEqual([]);
    for (const socket of open) socket.destroy();
  });

  test("transfers more than a command may is cut off, and gets nothing further", async () => {
    proxy = await world.proxy("all", { bytes: 1_000 });
    const { socket } = await proxy.tunnel("allowed.test:80");
    socket.write(
      `POST / HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 100000\r\n\r\n${"x".repeat(50_000)}`,
    );
    await everything(socket);
    expect(proxy.proxy.bytes).toBeGreaterThan(1_000);
    expect((await everything(proxy.socket())).length).toBe(0);
  });

  test("downloads without a tunnel is counted as well", async () => {
    const origin = await rawOrigin(`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(200_000)}`);
    proxy = await TestProxy.start(
      testReach({ "allowed.test": [[publicAddress]] }, { 80: origin.port }),
      undefined,
    );
    expect((await get()).length).toBeGreaterThan(200_000);
    expect(proxy.proxy.bytes).toBeGreaterThan(200_000);
    origin.close();
  });
});

const get = () =>
  proxy.say("GET http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n");
