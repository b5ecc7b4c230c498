// Requests that are ambiguous, slow, large or frequent, and false tunnels, at the proxy.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { publicAddress, rawOrigin, TestProxy, testReach } from "./network-origin.ts";
import { statusOf, World } from "./network-world.ts";

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

const start = async () => {
  proxy = await world.proxy();
};

describe("ambiguous requests", () => {
  const request = (head: string, body = "") => `${head}\r\nConnection: close\r\n\r\n${body}`;
  test.each([
    ["another Host", request("GET http://allowed.test/ HTTP/1.1\r\nHost: evil.test")],
    ["two Hosts", request("GET http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nHost: evil.test")],
    ["a Host with another port", request("GET http://allowed.test/ HTTP/1.1\r\nHost: allowed.test:22")],
    ["a Host with a user", request("GET http://allowed.test/ HTTP/1.1\r\nHost: allowed.test@evil.test")],
    ["another Host for a tunnel", request("CONNECT allowed.test:443 HTTP/1.1\r\nHost: evil.test:443")],
    [
      "two lengths",
      request(
        "POST http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 5\r\nContent-Length: 6",
        "hello",
      ),
    ],
    [
      "a length and an encoding",
      request(
        "POST http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 5\r\nTransfer-Encoding: chunked",
        "0\r\n\r\n",
      ),
    ],
    [
      "an encoding that is hidden",
      request(
        "POST http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nTransfer-Encoding : chunked",
        "0\r\n\r\n",
      ),
    ],
    [
      "an encoding that is not the last",
      request(
        "POST http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nTransfer-Encoding: chunked, identity",
        "0\r\n\r\n",
      ),
    ],
    [
      "a folded header",
      request("GET http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nX-A: b\r\n Host: evil.test"),
    ],
    ["line ends of its own", "GET http://allowed.test/ HTTP/1.1\nHost: allowed.test\n\n"],
    [
      "a length with a sign",
      request("POST http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: +5", "hello"),
    ],
    ["a tunnel with a line of its own", "CONNECT allowed.test:443\r\nX: y HTTP/1.1\r\n\r\n"],
    ["a line without a version", "GET http://allowed.test/\r\n\r\n"],
    ["HTTP/2 at once", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["no HTTP", "\x16\x03\x01\x00\x05hello\r\n\r\n"],
  ])("are refused: %s", async (_what, bytes) => {
    await start();
    expect([400, 403]).toContain(statusOf(await proxy.say(bytes)));
    expect(world.seen).toEqual([]);
    expect(world.raw.heard).toEqual([]);
  });

  test("cannot smuggle a second request that the origin reads and the proxy does not", async () => {
    await start();
    const smuggled = "GET http://evil.test/smuggled HTTP/1.1\r\nHost: evil.test\r\n\r\n";
    const answer = await proxy.say(
      `POST http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 0\r\n\r\n${smuggled}`,
    );
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 403"]);
    expect(world.seen.map(({ url }) => url)).toEqual(["/"]);
  });
});

describe("an answer that no server may give to such a request is reported as a failure", () => {
  const empty = "Content-Length: 0\r\n\r\n";
  test.each([
    ["no status", `HTTP/1.1 000 x\r\n${empty}`],
    ["a status below 100", `HTTP/1.1 099 x\r\n${empty}`],
    ["another protocol", "HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhello"],
    ["another protocol without its name", "HTTP/1.1 101 x\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"],
  ])("%s", async (_what, answer) => {
    const origin = await rawOrigin(answer);
    proxy = await TestProxy.start(testReach({ "allowed.test": [[publicAddress]] }, { 80: origin.port }), [
      "allowed.test",
    ]);
    // The second request finds the server unchanged.
    for (let time = 0; time < 2; time++)
      expect(
        statusOf(await proxy.say("GET http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n")),
      ).toBe(502);
    origin.close();
  });
});
