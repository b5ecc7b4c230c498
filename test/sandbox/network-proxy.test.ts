// Hosts that the proxy reaches and hosts that it refuses, over real sockets: names, addresses and ports in
// all spellings.
import { connect as connectTls } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { everything, publicAddress, type TestProxy } from "./network-origin.ts";
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

const start = async (allowed: readonly string[] | "all" = rules) => {
  proxy = await world.proxy(allowed);
};
const get = (url: string) => {
  const host = /^http:\/\/([^/?#]*)/.exec(url)?.[1] ?? "";
  return proxy.say(`GET ${url} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
};

describe("a host that is allowed", () => {
  test("is reached by plain http with its own Host header", async () => {
    await start();
    const answer = await get("http://allowed.test/path?q=1");
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/x-origin: yes[\s\S]*origin$/);
    expect(world.seen).toMatchObject([
      { method: "GET", url: "/path?q=1", headers: { host: "allowed.test" } },
    ]);
    expect(proxy.reach.dialled).toEqual([`${publicAddress}:80`]);
    expect(proxy.refused).toEqual([]);
  });

  test.each([
    "http://ALLOWED.test/",
    "http://allowed.test./",
    "HTTP://allowed.test/",
    "http://allowed.test:80/",
    "http://allowed.test",
    "http://deep.sub.wild.test/",
  ])("is recognized in another spelling: %s", async (url) => {
    await start();
    expect(statusOf(await proxy.say(`GET ${url} HTTP/1.1\r\nConnection: close\r\n\r\n`))).toBe(200);
  });

  test("is tunnelled to for TLS that names it, in both directions", async () => {
    await start();
    const { socket, answer } = await proxy.tunnel("allowed.test:443");
    expect(statusOf(answer)).toBe(200);
    connectTls({ socket, servername: "allowed.test" }).on("error", () => undefined);
    await expect.poll(() => world.raw.heard.length).toBeGreaterThan(0);
    expect(Buffer.concat(world.raw.heard).toString("latin1")).toContain("allowed.test");
    socket.destroy();
  });

  test("gets a whole body, with a length or in chunks", async () => {
    await start();
    await proxy.say(
      "POST http://allowed.test/a HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
    );
    await proxy.say(
      "POST http://allowed.test/b HTTP/1.1\r\nHost: allowed.test\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
    );
    expect(world.seen.map(({ url, body }) => [url, body])).toEqual([
      ["/a", "hello"],
      ["/b", "hello"],
    ]);
  });

  test("does not get headers meant for the proxy or the connection", async () => {
    await start();
    await proxy.say(
      "GET http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nProxy-Authorization: Basic eHg=\r\nProxy-Connection: close\r\n" +
        "Connection: close, X-Secret\r\nX-Secret: 1\r\nTE: trailers\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\nX-Kept: 1\r\n\r\n",
    );
    expect(Object.keys(world.seen[0]?.headers ?? {}).sort()).toEqual(["connection", "host", "x-kept"]);
  });

  test("is reached by a client that tunnels plain http too, and no other host is", async () => {
    await start();
    const { socket } = await proxy.tunnel("allowed.test:80");
    socket.write("GET /inner HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n");
    expect((await everything(socket)).toString()).toMatch(/200[\s\S]*origin$/);
    const second = await proxy.tunnel("allowed.test:80");
    second.socket.write("GET /inner HTTP/1.1\r\nHost: sub.allowed.test\r\nConnection: close\r\n\r\n");
    expect(statusOf((await everything(second.socket)).toString())).toBe(403);
    const third = await proxy.tunnel("allowed.test:80");
    third.socket.write("GET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    expect(statusOf((await everything(third.socket)).toString())).toBe(400);
    const fourth = await proxy.tunnel("allowed.test:80");
    fourth.socket.write("CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n");
    expect(statusOf((await everything(fourth.socket)).toString())).toBe(400);
    expect(world.seen.map(({ url }) => url)).toEqual(["/inner"]);
  });

  test("that does not answer is reported as that, not as refused", async () => {
    await start();
    expect(statusOf(await get("http://gone.test/"))).toBe(502);
    expect(statusOf((await proxy.tunnel("gone.test:443")).answer)).toBe(502);
    expect(proxy.refused).toEqual([]);
  });

  test("its redirects go to the client, whose next request is checked again", async () => {
    await start();
    expect(await get("http://allowed.test/away")).toMatch(
      /302[\s\S]*location: http:\/\/127\.0\.0\.1\/secret/i,
    );
    expect(statusOf(await get("http://127.0.0.1/secret"))).toBe(403);
    expect(proxy.reach.dialled).toHaveLength(1);
  });
});

describe("no connection is made for", () => {
  test.each([
    ["another host", "evil.test"],
    ["a host that ends with the allowed one", "evilallowed.test"],
    ["a host that begins with the allowed one", "allowed.test.evil.test"],
    ["a host below an exact one", "sub.allowed.test"],
    ["the domain of a pattern itself", "wild.test"],
    ["a domain that only ends like a pattern", "notwild.test"],
    ["a Cyrillic look-alike", new URL("http://\u0430llowed.test").hostname],
  ])("%s: %s", async (_what, host) => {
    await start();
    expect(statusOf(await get(`http://${host}/`))).toBe(403);
    expect(statusOf((await proxy.tunnel(`${host}:443`)).answer)).toBe(403);
    expect(proxy.refused).toEqual([`${host} not_allowed`]);
    expect(proxy.reach.dialled).toEqual([]);
    // A lookup would send to the resolver whatever a command puts into the name.
    expect(proxy.reach.asked).toEqual([]);
  });

  test.each([
    ...[
      "127.0.0.1",
      "127.1",
      "2130706433",
      "0x7f000001",
      "0177.0.0.1",
      "0x7f.1",
      "017700000001",
      "0",
      "0.0.0.0",
    ],
    ...[
      "[::1]",
      "[::]",
      "[::ffff:127.0.0.1]",
      "[::ffff:169.254.169.254]",
      "[::ffff:a9fe:a9fe]",
      "[64:ff9b::7f00:1]",
    ],
    ...[
      "169.254.169.254",
      "2852039166",
      "0xa9fea9fe",
      "0251.0376.0251.0376",
      "169.254.43518",
      "100.100.100.200",
    ],
    ...[
      "168.63.129.16",
      "[fd00:ec2::254]",
      "10.0.0.1",
      "192.168.1.1",
      "172.16.0.1",
      "[fe80::1]",
      "[2002:7f00:1::]",
    ],
    ...[
      "127.0.0.1.",
      "localhost",
      "LOCALHOST.",
      "a.localhost",
      "metadata.google.internal",
      "printer.local",
      "db",
    ],
  ])("an address of this machine or its network, as %s", async (host) => {
    for (const allowed of [rules, "all"] as const) {
      await start(allowed);
      expect(statusOf(await get(`http://${host}/`))).toBe(403);
      expect(statusOf((await proxy.tunnel(`${host}:443`)).answer)).toBe(403);
      expect(proxy.refused.map((line) => line.split(" ")[1])).toEqual(["private_address"]);
      expect([proxy.reach.dialled, proxy.reach.asked]).toEqual([[], []]);
      if (allowed !== "all") await proxy.stop();
    }
  });

  test.each(["mixed.test", "mapped.test", "metadata.test", "azure.test", "ula.test"])(
    "an allowed name that resolves to such an address: %s",
    async (host) => {
      await start();
      expect(statusOf(await get(`http://${host}/`))).toBe(403);
      expect(statusOf((await proxy.tunnel(`${host}:443`)).answer)).toBe(403);
      expect(proxy.refused).toEqual([`${host} private_address`]);
      expect(proxy.reach.dialled).toEqual([]);
    },
  );

  test("a name that is public at the first lookup and private at the next", async () => {
    await start();
    expect(statusOf(await get("http://rebinds.test/"))).toBe(200);
    expect(statusOf(await get("http://rebinds.test/"))).toBe(403);
    // Each connection makes one lookup and goes to exactly the address that was checked.
    expect(proxy.reach.asked).toEqual(["rebinds.test", "rebinds.test"]);
    expect(proxy.reach.dialled).toEqual([`${publicAddress}:80`]);
  });

  test.each([22, 25, 8080, 3306, 6379])("port %d of an allowed host", async (port) => {
    await start();
    expect(statusOf((await proxy.tunnel(`allowed.test:${port}`)).answer)).toBe(403);
    expect(statusOf(await get(`http://allowed.test:${port}/`))).toBe(403);
    expect(proxy.refused).toEqual([`allowed.test:${port} not_allowed`]);
    expect(proxy.reach.dialled).toEqual([]);
  });

  test("the web ports of a host that was allowed with another port", async () => {
    await start();
    expect(statusOf((await proxy.tunnel("named.test:443")).answer)).toBe(403);
    expect(statusOf((await proxy.tunnel("named.test:8443")).answer)).toBe(200);
  });

  test.each([
    "http://allowed.test@evil.test/",
    "http://evil.test@allowed.test/",
    "http://user:pass@allowed.test/",
    "http://evil.test#allowed.test",
    "http://evil.test#@allowed.test/",
    "http://evil.test\\@allowed.test/",
    "http://evil.test%2f@allowed.test/",
    "http://allowed.test%00.evil.test/",
    "http://allowed.test:80:443/",
    "http://allowed.test:/",
    "http://allowed.test:0/",
    "http://allowed.test:65616/",
    "http://allowed%2etest/",
    "http://[allowed.test]/",
    "http:///allowed.test/",
    "http:allowed.test",
    "https://allowed.test/",
    "ftp://allowed.test/",
    "file:///etc/passwd",
    "gopher://allowed.test/",
    "ws://allowed.test/",
    "//allowed.test/",
    "/",
    "*",
    "allowed.test",
  ])("an ambiguous or invalid target: %s", async (target) => {
    await start();
    const answer = await proxy.say(
      `GET ${target} HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n`,
    );
    expect([400, 403]).toContain(statusOf(answer));
    expect(proxy.reach.dialled).toEqual([]);
  });

  test.each([
    "allowed.test",
    ":443",
    "allowed.test:",
    "allowed.test:443:22",
    "http://allowed.test:443",
    "user@allowed.test:443",
    "allowed.test:443/",
    "allowed.test:443#evil.test:443",
    "evil.test:443#allowed.test:443",
    "allowed.test:+443",
    "allowed.test:0x1bb",
    "allowed.test:99999",
    "[allowed.test]:443",
    "%61llowed.test:443",
    "allowed.test,evil.test:443",
  ])("a tunnel to %s", async (authority) => {
    await start();
    const answer = await proxy.say(`CONNECT ${authority} HTTP/1.1\r\nConnection: close\r\n\r\n`);
    expect([400, 403]).toContain(statusOf(answer));
    expect(proxy.reach.dialled).toEqual([]);
  });
});
