// Failed creations leave nothing at E2B except sandboxes that another creation uses.
// @module-tag long
import { afterEach, expect, test } from "vitest";
import { E2bHost } from "../fakes/engines/e2b-host.ts";
import type { E2bQuirks } from "../fakes/engines/e2b-sandbox.ts";
import { newSpec, openEngine } from "../harness/engine-stage.ts";
import { gate } from "../harness/gate.ts";
import { until } from "../sandbox/running-server.ts";

let host: E2bHost | undefined;
afterEach(() => host?.close());

async function open(quirks: Partial<E2bQuirks> = {}) {
  host = await E2bHost.start(quirks);
  return { host, engine: await openEngine("e2b", host) };
}

/** Another edge, whose requests reach our server in guests only while `hears()` is true. */
function halfDeaf(e2b: E2bHost, hears: () => boolean) {
  return openEngine("e2b", e2b, {
    fetch: async (input, init) => {
      const toServer = new Headers(init?.headers).get("e2b-sandbox-port") === "8788";
      if (toServer && !hears()) throw new TypeError("fetch failed");
      return fetch(input, init);
    },
  });
}

test("a creation that fails late leaves nothing", async () => {
  const { host: e2b } = await open();
  const deaf = await halfDeaf(e2b, () => false);
  const leaves = new AbortController();
  const failing = deaf.create(newSpec(), leaves.signal);
  await until(() => e2b.sandboxes.size === 1);
  leaves.abort(new Error("enough"));
  await expect(failing).rejects.toThrow("enough");
  expect(e2b.sandboxes.size).toBe(0);
});

test.each(["has finished", "goes on"])(
  "a creation that fails late does not remove the guest when another creation with its name %s",
  async (how) => {
    const { host: e2b } = await open();
    let hears = how === "has finished";
    const [deaf, other] = [await halfDeaf(e2b, () => false), await halfDeaf(e2b, () => hears)];
    const spec = newSpec();
    const leaves = new AbortController();
    const failing = deaf.create(spec, leaves.signal);
    await until(() => e2b.sandboxes.size === 1);
    const joining = other.create(spec);
    if (hears) await joining;
    else await until(() => e2b.asked.some((call) => call.endsWith("/connect")));
    leaves.abort(new Error("enough"));
    await expect(failing).rejects.toThrow("enough");
    hears = true;
    const { guest } = await joining;
    expect((await other.find(guest)).state).toBe("ready");
  },
);

test("a creation that arrives while a failed one removes its guest gets a guest that stays", async () => {
  const { host: e2b, engine: other } = await open();
  const [removing, joined] = [gate(), gate()];
  const failing = await openEngine("e2b", e2b, {
    fetch: async (input, init) => {
      if (new Headers(init?.headers).get("e2b-sandbox-port") === "8788") throw new TypeError("fetch failed");
      if (init?.method === "DELETE") {
        removing.open();
        await joined.passed;
      }
      return fetch(input, init);
    },
  });
  const spec = newSpec();
  const leaves = new AbortController();
  const fails = failing.create(spec, leaves.signal);
  await until(() => e2b.sandboxes.size === 1);
  leaves.abort(new Error("enough"));
  await removing.passed;
  const { guest } = await other.create(spec);
  joined.open();
  await expect(fails).rejects.toThrow("enough");
  expect((await other.find(guest)).state).toBe("ready");
  expect([...e2b.sandboxes.keys()]).toEqual([guest]);
});

test("a creation that fails after its guest was ready removes only a guest that no other one was given", async () => {
  const { host: e2b, engine } = await open();
  const alone = await engine.create(newSpec());
  await alone.takeBack();
  expect(e2b.sandboxes.size).toBe(0);
  const spec = newSpec();
  const first = await engine.create(spec);
  const second = await (await openEngine("e2b", e2b)).create(spec);
  await first.takeBack();
  await second.takeBack();
  expect([...e2b.sandboxes.keys()]).toEqual([second.guest]);
});

test("a guest that two creations wait for is not put to sleep", async () => {
  const { host: e2b } = await open();
  const [deaf, other] = [await halfDeaf(e2b, () => false), await halfDeaf(e2b, () => false)];
  const spec = newSpec();
  const leaves = new AbortController();
  const failing = [deaf.create(spec, leaves.signal)];
  await until(() => e2b.sandboxes.size === 1);
  failing.push(other.create(spec, leaves.signal));
  await until(() => e2b.asked.some((call) => call.endsWith("/connect")));
  await other.tend?.();
  expect([...e2b.sandboxes.values()].map(({ state }) => state)).toEqual(["running"]);
  leaves.abort(new Error("enough"));
  const ends = await Promise.allSettled(failing);
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  // Neither edge removed it, because the other might use it. It is a leftover, and is found once its host has
  // paused it.
  const [left = ""] = e2b.sandboxes.keys();
  await e2b.pause(left);
  // The second edge joined it long ago.
  await e2b.entry(left).guest.put(".handrail/joined", Buffer.from("0"));
  await other.tend?.();
  expect(e2b.sandboxes.size).toBe(0);
});

test("a creation whose answer was lost leaves no guest", async () => {
  const { host: e2b, engine } = await open();
  e2b.loses = (call) => call === "POST /sandboxes";
  await expect(engine.create(newSpec())).rejects.toMatchObject({ code: "sandbox_unreachable" });
  expect(e2b.sandboxes.size).toBe(0);
});

test("a creation that fails at its very end leaves no guest that E2B has paused", async () => {
  const { host: e2b, engine } = await open();
  let isAway = false;
  e2b.loses = (call) => {
    isAway ||= call.endsWith("/connect");
    return isAway;
  };
  await expect(engine.create(newSpec())).rejects.toMatchObject({ code: "sandbox_unreachable" });
  isAway = false;
  e2b.loses = () => false;
  const [left = ""] = e2b.sandboxes.keys();
  const entry = e2b.entry(left);
  const minutes = (entry.endAt - entry.startedAt) / 60_000;
  expect(minutes).toBeLessThan(10);
  // The host pauses the sandbox when that time has passed.
  await e2b.pause(left);
  entry.endAt = entry.startedAt + minutes * 60_000;
  await engine.tend?.();
  expect(e2b.sandboxes.size).toBe(0);
});

test("a guest that a delayed list hid after a lost answer is removed at the next cleanup", async () => {
  const { host: e2b, engine } = await open({ listedAfter: 1 });
  e2b.loses = (call) => call === "POST /sandboxes";
  await expect(engine.create(newSpec())).rejects.toMatchObject({ code: "sandbox_unreachable" });
  const [left = ""] = e2b.sandboxes.keys();
  await e2b.pause(left);
  await engine.tend?.();
  expect(e2b.sandboxes.size).toBe(0);
});
