// How the engine cloudflare handles the quirks of containers. Each quirk is a switch of the fake.
// @module-tag long
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { afterEach, expect, test } from "vitest";
import type { Engine } from "../../functions/engines/engine.ts";
import { type CloudflareSite, openCloudflare } from "../harness/cloudflare-site.ts";
import { clientOf, newSpec, openEngine } from "../harness/engine-stage.ts";
import { until } from "../sandbox/running-server.ts";

let site: CloudflareSite | undefined;
afterEach(() => site?.close());

async function open(...[quirks, settings]: Parameters<typeof openCloudflare>) {
  site = await openCloudflare(quirks, settings);
  return { site, engine: await openEngine("cloudflare", { env: {}, platform: site.platform }) };
}

/** A guest in which a file was written. `check` tests whether the file is back after a wake. */
async function withFile(engine: Engine) {
  const { guest, endpoint } = await engine.create(newSpec());
  const { id } = await clientOf(endpoint).create({ source: { sample: true } });
  await engine.keep?.(guest);
  await clientOf(endpoint).call(id, "exec", { command: "echo kept > kept.txt" });
  const check = async () => {
    const client = clientOf(await engine.wake(guest));
    return (await client.get(`/sandboxes/${id}/file?path=kept.txt`)).body;
  };
  return { guest, id, endpoint, check };
}

test("a start waits for a server that is not listening yet when the call returns", async () => {
  const { engine } = await open({ notReadyFor: 5 });
  const { endpoint } = await engine.create(newSpec());
  expect((await clientOf(endpoint).get("/capabilities")).status).toBe(200);
});

test("where the account has snapshots, a guest is restored from one, and its server need not be copied in again", async () => {
  const { site: played, engine } = await open();
  const { guest, check } = await withFile(engine);
  await engine.sleep(guest);
  expect(played.host.running.size).toBe(0);
  expect(await check()).toBe("kept\n");
  expect(played.host.starts.at(-1)).toMatchObject({ containerSnapshot: { id: "snapshot-0" } });
});

test("without snapshots, a guest is restored from the archive in R2", async () => {
  const { site: played, engine } = await open({ noSnapshots: true });
  const { guest, check } = await withFile(engine);
  await engine.sleep(guest);
  expect(await played.archives()).toHaveLength(1);
  expect(await check()).toBe("kept\n");
  await engine.remove(guest);
  expect(await played.archives()).toEqual([]);
});

test("without snapshots or R2, a guest is not put to sleep, since its disk would be lost", async () => {
  const { site: played, engine } = await open({ noSnapshots: true }, { archives: false });
  const { guest, check } = await withFile(engine);
  await expect(engine.sleep(guest)).rejects.toMatchObject({ code: "invalid_request" });
  expect(played.host.running.size).toBe(1);
  expect(await check()).toBe("kept\n");
});

test("after another image was deployed, which no snapshot fits, the archive is used", async () => {
  const { site: played, engine } = await open({ onlyImage: "image-2" });
  const { guest, check } = await withFile(engine);
  await engine.sleep(guest);
  await played.set({ GUEST_IMAGE: "image-2" });
  expect(await check()).toBe("kept\n");
  expect(played.host.starts.at(-1)).toMatchObject({ image: "image-2" });
});

test("an expired snapshot is replaced by the archive, and without one the guest is gone", async () => {
  const { site: played, engine } = await open();
  const { guest, check } = await withFile(engine);
  await engine.sleep(guest);
  played.host.quirks.snapshotsExpired = true;
  expect(await check()).toBe("kept\n");
  await played.close();
  const without = await open({ snapshotsExpired: true }, { archives: false });
  const other = await withFile(without.engine);
  await without.engine.sleep(other.guest);
  await expect(without.engine.wake(other.guest)).rejects.toMatchObject({ code: "not_found" });
});

test("a guest whose container stopped by itself is gone, and comes back as it was last saved, if it ever was", async () => {
  const { site: played, engine } = await open();
  const { guest, check } = await withFile(engine);
  await engine.sleep(guest);
  await check();
  const before = Date.now();
  await played.host.crash(guest);
  const found = await engine.find(guest);
  expect(found).toEqual({ state: "gone", snapshotAt: expect.any(Number) });
  expect(found.state === "gone" && found.snapshotAt).toBeLessThan(before);
  expect(await check()).toBe("kept\n");
  const { guest: never } = await engine.create(newSpec());
  await played.host.crash(never);
  expect(await engine.find(never)).toEqual({ state: "gone" });
});

test.each([
  { losesDisk: true, later: 404 },
  { losesDisk: false, later: 200 },
])(
  "what was saved is there after a container stopped by itself, and later changes answer $later where losesDisk is $losesDisk",
  async ({ losesDisk, later }) => {
    const { site: played, engine } = await open({ losesDisk, noSnapshots: true });
    const { guest, id, check } = await withFile(engine);
    await engine.sleep(guest);
    const woken = clientOf(await engine.wake(guest));
    expect((await woken.call(id, "exec", { command: "echo later > later.txt" })).ok).toBe(true);
    await played.host.crash(guest);
    expect(await engine.find(guest)).toEqual({ state: "gone", snapshotAt: expect.any(Number) });
    expect(await check()).toBe("kept\n");
    const after = clientOf(await engine.wake(guest));
    expect((await after.get(`/sandboxes/${id}/file?path=later.txt`)).status).toBe(later);
  },
);

test.each([true, false])(
  "an object that restarts has its inactivity timeout, where forgetsTimeout is %s",
  async (forgetsTimeout) => {
    const { site: played, engine } = await open({ forgetsTimeout });
    const { guest, endpoint } = await engine.create(newSpec());
    expect(played.host.timeouts.get(guest)).toBe(25 * 60_000);
    await played.order(guest, "restart");
    expect((await clientOf(endpoint).get("/capabilities")).status).toBe(200);
    expect(played.host.timeouts.get(guest)).toBe(25 * 60_000);
  },
);

test("an idle guest is saved and stopped by its object's alarm, and one in use is not", async () => {
  const { site: played, engine } = await open({}, { HANDRAIL_GUEST_IDLE_MINUTES: "0.000001" });
  const { guest, endpoint } = await withFile(engine);
  const { id } = await clientOf(endpoint).create({ source: { sample: true } });
  const { home } = played.host.running.get(guest)?.guest ?? {};
  const workspace = `${home}/.handrail/state/sandboxes/${id}/workspace`;
  const command = "touch begun; while [ ! -f go ]; do sleep 0.05; done";
  const running = clientOf(endpoint).call(id, "exec", { command });
  await until(() => existsSync(`${workspace}/begun`));
  await played.order(guest, "alarm");
  expect(played.host.running.size).toBe(1);
  await writeFile(`${workspace}/go`, "");
  expect((await running).ok).toBe(true);
  await played.order(guest, "alarm");
  expect(await engine.find(guest)).toEqual({ state: "asleep" });
  expect((await engine.list()).map(({ state }) => state)).toEqual(["asleep"]);
});

test("a guest that cannot be put to sleep is tried again later, and the platform does not stop its container meanwhile", async () => {
  const { site: played, engine } = await open(
    { noSnapshots: true },
    { archives: false, HANDRAIL_GUEST_IDLE_MINUTES: "0.000001" },
  );
  const { guest, check } = await withFile(engine);
  played.host.timeouts.clear();
  await played.order(guest, "alarm");
  expect(await played.isWatched(guest)).toBe(true);
  expect(played.host.timeouts.has(guest)).toBe(true);
  expect(await check()).toBe("kept\n");
});

test("the list shows a container that stopped by itself as gone, and drops one that nobody used", async () => {
  const { site: played, engine } = await open();
  const [kept, lost] = [await withFile(engine), await withFile(engine)];
  const { guest: unused } = await engine.create(newSpec());
  await engine.sleep(kept.guest);
  await engine.wake(kept.guest);
  for (const guest of [kept.guest, lost.guest, unused]) {
    await played.host.crash(guest);
    await played.order(guest, "alarm");
  }
  const states = (await engine.list()).map(({ guest, state }) => [guest, state]);
  expect(Object.fromEntries(states)).toEqual({ [kept.guest]: "gone", [lost.guest]: "gone" });
  expect(await kept.check()).toBe("kept\n");
  expect((await engine.list()).find(({ guest }) => guest === kept.guest)?.state).toBe("ready");
});

test("a guest may be idle for longer than the platform allows", async () => {
  const { site: played, engine } = await open({}, { HANDRAIL_GUEST_IDLE_MINUTES: "1440" });
  const { guest } = await engine.create(newSpec());
  expect(played.host.timeouts.get(guest)).toBe(6 * 3_600_000);
});

test("a request to a sleeping guest counts as not delivered", async () => {
  const { engine } = await open();
  const { guest, endpoint } = await withFile(engine);
  await engine.sleep(guest);
  const asked = clientOf(endpoint).get("/capabilities");
  await expect(asked).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
});

test("the container gets its token, the network for clones, and nothing else of ours", async () => {
  const { site: played, engine } = await open({}, { GUEST_INSTANCE: "standard-2" });
  await engine.create(newSpec());
  const [{ env, enableInternet } = { env: {}, enableInternet: false }] = played.host.starts;
  expect(Object.keys(env).sort()).toEqual(["HANDRAIL_PRIVATE_SOURCES", "SANDBOX_TOKEN"]);
  expect(enableInternet).toBe(true);
});
