// How the engine e2b handles the quirks of its host. Each quirk is a switch of the fake.
// @module-tag long
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import { E2bHost } from "../fakes/engines/e2b-host.ts";
import type { E2bQuirks } from "../fakes/engines/e2b-sandbox.ts";
import { clientOf, newSpec, openEngine } from "../harness/engine-stage.ts";
import { until } from "../sandbox/running-server.ts";

let host: E2bHost | undefined;
afterEach(() => host?.close());

async function open(quirks: Partial<E2bQuirks> = {}) {
  host = await E2bHost.start(quirks);
  return { host, engine: await openEngine("e2b", host) };
}

const statusOf = async ({ url, headers }: { url: string; headers: Readonly<Record<string, string>> }) =>
  (await fetch(`${url}/v1/capabilities`, { headers })).status;

test("a creation waits for a server that is not ready when the start call returns", async () => {
  const { engine } = await open({ notReadyFor: 5 });
  const { endpoint } = await engine.create(newSpec());
  expect(await statusOf(endpoint)).toBe(200);
});

test.each([
  { asksForToken: true, answer: 403 },
  { asksForToken: false, answer: 200 },
])(
  "without the traffic token a request gets $answer where asksForToken is $asksForToken, and with it one gets through",
  async ({ asksForToken, answer }) => {
    const { engine } = await open({ asksForToken });
    const { endpoint } = await engine.create(newSpec());
    const { "e2b-traffic-access-token": _, ...headers } = endpoint.headers;
    expect(await statusOf({ ...endpoint, headers })).toBe(answer);
    expect(await statusOf(endpoint)).toBe(200);
  },
);

test("a sandbox that nobody wakes answers 502, and the engine wakes it", async () => {
  const { engine } = await open({ deafWhilePaused: true, notReadyFor: 2 });
  const { guest, endpoint } = await engine.create(newSpec());
  await engine.sleep(guest);
  expect(await statusOf(endpoint)).toBe(502);
  expect(await engine.find(guest)).toEqual({ state: "asleep" });
  expect(await statusOf(await engine.wake(guest))).toBe(200);
});

test("a token that changes at each start is looked up again", async () => {
  const { engine } = await open({ newTokens: true });
  const { guest, endpoint } = await engine.create(newSpec());
  await engine.sleep(guest);
  expect(await statusOf(await engine.wake(guest))).toBe(200);
  // Requests through the endpoint's own fetch fail as not arrived, so that the guest is looked up again.
  const asked = clientOf(endpoint).get("/capabilities");
  await expect(asked).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  const found = await engine.find(guest);
  expect(found.state === "ready" && (await statusOf(found.endpoint))).toBe(200);
});

test("several creations at once all get their guests from a host that makes one a second", async () => {
  const { host: e2b, engine } = await open({ oneCreateASecond: true });
  const guests = await Promise.all([1, 2].map(() => engine.create(newSpec())));
  expect(new Set(guests.map(({ guest }) => guest)).size).toBe(2);
  expect(e2b.asked.filter((call) => call === "POST /sandboxes").length).toBeGreaterThan(2);
});

test("two edges that create one name at once make one guest, though lists are delayed", async () => {
  const { host: e2b, engine } = await open({ listedAfter: 2 });
  const other = await openEngine("e2b", e2b);
  const spec = newSpec();
  const guests = await Promise.all([engine.create(spec), other.create(spec), engine.create(spec)]);
  expect(new Set(guests.map(({ guest }) => guest)).size).toBe(1);
  expect(e2b.sandboxes.size).toBe(1);
});

test("a guest with a session that slept early is not mistaken for a leftover", async () => {
  const { host: e2b, engine } = await open();
  const { guest, endpoint } = await engine.create(newSpec());
  await clientOf(endpoint).create({ source: { sample: true } });
  await e2b.pause(guest);
  await engine.tend?.();
  expect(await engine.find(guest)).toEqual({ state: "asleep" });
});

test("we put an idle guest to sleep before E2B does", async () => {
  const { host: e2b, engine } = await open();
  const { guest, endpoint } = await engine.create(newSpec());
  await clientOf(endpoint).create({ source: { sample: true } });
  e2b.entry(guest).endAt = Date.now() + 9 * 60_000;
  await engine.tend?.();
  expect(await engine.find(guest)).toEqual({ state: "asleep" });
});

test("a guest that is still being created is not put to sleep", async () => {
  const { host: e2b, engine } = await open();
  const { guest } = await engine.create(newSpec());
  const entry = e2b.entry(guest);
  entry.endAt = entry.startedAt + 300_000;
  await engine.tend?.();
  expect((await engine.find(guest)).state).toBe("ready");
});

test("an idle guest in which no session was created is removed", async () => {
  const { host: e2b, engine } = await open();
  const { guest } = await engine.create(newSpec());
  const entry = e2b.entry(guest);
  // The sandbox has the running time of one in use, but no session uses it.
  entry.startedAt = Date.now() - 16 * 60_000;
  entry.endAt = Date.now() + 9 * 60_000;
  await engine.tend?.();
  expect(e2b.sandboxes.size).toBe(0);
});

test("a template whose shell greets changes nothing: unused guests are removed, idle ones sleep, lost changes are found", async () => {
  const { host: e2b, engine } = await open({ greets: true, losesLaterWrites: true });
  const { guest: unused } = await engine.create(newSpec());
  Object.assign(e2b.entry(unused), { startedAt: Date.now() - 16 * 60_000, endAt: Date.now() + 9 * 60_000 });
  await engine.tend?.();
  expect(e2b.sandboxes.size).toBe(0);
  const { guest, endpoint } = await engine.create(newSpec());
  await clientOf(endpoint).create({ source: { sample: true } });
  e2b.entry(guest).endAt = Date.now() + 9 * 60_000;
  await engine.tend?.();
  expect(await engine.find(guest)).toEqual({ state: "asleep" });
  await engine.wake(guest);
  await engine.sleep(guest);
  expect((await engine.wake(guest)).lostSince).toBeGreaterThan(0);
});

test("a guest that is used while it is put to sleep stays awake", async () => {
  const { host: e2b, engine } = await open();
  const { guest } = await engine.create(newSpec());
  const entry = e2b.entry(guest);
  entry.endAt = Date.now() + 9 * 60_000;
  e2b.loses = (call) => {
    if (call.endsWith("/connect")) entry.endAt = Date.now() + 25 * 60_000;
    return false;
  };
  await engine.tend?.();
  expect((await engine.find(guest)).state).toBe("ready");
});

test("looking at a guest does not extend its time, and sending something to it does", async () => {
  const { host: e2b, engine } = await open();
  const { guest } = await engine.create(newSpec());
  const entry = e2b.entry(guest);
  const soon = Date.now() + 9 * 60_000;
  entry.endAt = soon;
  const found = await engine.find(guest);
  if (found.state !== "ready") throw new Error(`the guest is ${found.state}`);
  expect((await clientOf(found.endpoint).get("/capabilities")).status).toBe(200);
  expect(entry.endAt).toBe(soon);
  await clientOf(found.endpoint).create({ source: { sample: true } });
  expect(entry.endAt).toBeGreaterThan(soon);
});

test("a guest with a running command is not put to sleep before the command ends", async () => {
  const { host: e2b, engine } = await open();
  const { guest, endpoint } = await engine.create(newSpec());
  const client = clientOf(endpoint);
  const { id } = await client.create({ source: { sample: true } });
  const entry = e2b.entry(guest);
  const workspace = `${entry.guest.state}/sandboxes/${id}/workspace`;
  const command = "touch begun; while [ ! -f go ]; do sleep 0.05; done";
  const running = client.call(id, "exec", { command });
  await until(() => existsSync(`${workspace}/begun`));
  entry.endAt = Date.now() + 9 * 60_000;
  await engine.tend?.();
  expect((await engine.find(guest)).state).toBe("ready");
  await writeFile(`${workspace}/go`, "");
  expect((await running).ok).toBe(true);
  entry.endAt = Date.now() + 9 * 60_000;
  await engine.tend?.();
  expect(await engine.find(guest)).toEqual({ state: "asleep" });
});

test("a sandbox that came back as it was before its last pause reports later changes as lost", async () => {
  const { host: e2b, engine } = await open({ losesLaterWrites: true });
  const { guest } = await engine.create(newSpec());
  await engine.sleep(guest);
  expect((await engine.wake(guest)).lostSince).toBeUndefined();
  await engine.sleep(guest);
  const { lostSince = 0 } = await engine.wake(guest);
  expect(lostSince).toBeGreaterThan(0);
  expect(lostSince).toBeLessThan(e2b.entry(guest).startedAt - 3_000_000);
});

test("a sandbox that slept for an hour has lost nothing", async () => {
  const { host: e2b, engine } = await open();
  const { guest } = await engine.create(newSpec());
  await engine.sleep(guest);
  await e2b.entry(guest).guest.age(3_600);
  e2b.entry(guest).endAt -= 3_600_000;
  expect((await engine.wake(guest)).lostSince).toBeUndefined();
});

test("a short sleep after a long one has lost nothing", async () => {
  const { host: e2b, engine } = await open();
  const { guest } = await engine.create(newSpec());
  await engine.sleep(guest);
  await engine.wake(guest);
  // The clock in the guest recorded the first pause like this.
  const [noted, until] = [3_600, 7_200].map((ago) => Math.floor(Date.now() / 1_000) - ago);
  await e2b.entry(guest).guest.put(".handrail/pauses", Buffer.from(`${noted} ${until}\n`));
  await engine.sleep(guest);
  expect((await engine.wake(guest)).lostSince).toBeUndefined();
});

test("a guest in use has its time extended, even when its edge's clock goes back", async () => {
  const { host: e2b } = await open();
  let behind = 0;
  let passed = 0;
  const engine = await openEngine("e2b", e2b, {
    now: () => Date.now() - behind,
    elapsed: () => performance.now() + passed,
  });
  const { guest, endpoint } = await engine.create(newSpec());
  const use = () => clientOf(endpoint).create({ source: { sample: true } });
  await use();
  behind = 3_600_000;
  passed = 61_000;
  const soon = Date.now() + 60_000;
  e2b.entry(guest).endAt = soon;
  await use();
  expect(e2b.entry(guest).endAt).toBeGreaterThan(soon);
});

test("a sandbox that came back without its processes gets our server started again", async () => {
  const { engine } = await open({ forgetsMemory: true });
  const { guest, endpoint } = await engine.create(newSpec());
  const { id } = await clientOf(endpoint).create({ source: { sample: true } });
  await engine.sleep(guest);
  const woken = clientOf(await engine.wake(guest));
  expect((await woken.get(`/sandboxes/${id}`)).status).toBe(200);
});

test("an error names a key that E2B refuses", async () => {
  const { host: e2b } = await open();
  const engine = await openEngine("e2b", { env: { ...e2b.env, E2B_API_KEY: "another" } });
  await expect(engine.create(newSpec())).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringContaining("E2B_API_KEY"),
  });
});
