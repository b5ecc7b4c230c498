// A person allows the commands of a sandbox further hosts by tapping a refused one: one public host at a
// time, and a limited number.
import { afterAll, beforeAll, expect, test } from "vitest";
import * as limits from "../../sandbox/limits.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let id: string;

beforeAll(async () => {
  server = await RunningServer.start({
    workspace: await freshFolder("workspace"),
    env: { HANDRAIL_NETWORK: "registries" },
  });
  ({ id } = await server.client.create());
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const allow = (host: string) => server.client.post(`/sandboxes/${id}/hosts`, { host, scope: "session" });
const refusal = (code: string, message: string) => ({
  error: { code, message: expect.stringContaining(message) },
});

test.each([
  "localhost",
  "127.0.0.1",
  "0x7f.1",
  "[::1]:8080",
  "10.0.0.1",
  "169.254.169.254",
  "box.local",
  "db",
])("%s, of this machine or its network, cannot be allowed by a tap", async (host) => {
  const { status, body } = await allow(host);
  expect([status, body]).toMatchObject([403, refusal("forbidden", "local network")]);
  expect((await server.client.get(`/sandboxes/${id}`)).body).toMatchObject({ hosts: [] });
});

test.each(["", "*.example.com", "a.example/path", "https://a.example", "a.example b.example", "a.example:0"])(
  "%j is not a host",
  async (host) => {
    expect((await allow(host)).body).toMatchObject(refusal("invalid_request", "host: give one host"));
  },
);

test("more hosts than a sandbox may have are refused; an already allowed one does not count again", {
  tags: "long",
}, async () => {
  const { id: other } = await server.client.create();
  id = other;
  for (let n = 0; n < limits.netAllowed; n += 1) expect((await allow(`h${n}.example`)).status).toBe(200);
  expect((await allow("one-more.example")).body).toMatchObject(refusal("too_large", "allowed hosts"));
  expect((await allow("h0.example")).status).toBe(200);
});
