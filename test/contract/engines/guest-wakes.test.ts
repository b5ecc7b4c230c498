// The edge's report about a guest that has woken, and the requests that wait for it.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { EnginePlatform } from "../../../functions/engines/engine.ts";
import { bubblewrapWorks, findTools } from "../../../scripts/test/find-tools.ts";
import { SandboxAnswer } from "../../../shared/api.ts";
import { GuestEngine } from "../../fakes/guest-engine.ts";
import { type RunningEdge, startEdge } from "../../harness/edge-in-process.ts";
import { gate } from "../../harness/gate.ts";
import { ask, post } from "../http/request.ts";

const env = {
  HANDRAIL_ENGINE: "docker",
  HANDRAIL_ENGINE_SECRET: "the secret of these tests, of no use elsewhere",
  HANDRAIL_GUEST_JAIL: "0",
};

let engine: GuestEngine;
let edge: RunningEdge | undefined;

beforeEach(() => {
  engine = new GuestEngine();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await edge?.close();
  await engine.close();
});

async function edgeWith(platform: EnginePlatform = {}, more = {}): Promise<RunningEdge> {
  edge = await startEdge("http://127.0.0.1:9", { ...env, ...more }, { ...engine.platform, ...platform });
  return edge;
}

async function made(edge: RunningEdge): Promise<SandboxAnswer> {
  const { json } = await ask(edge, "/api/sandboxes", post({ source: { sample: true } }));
  return SandboxAnswer.parse(json);
}

const stateOf = async (edge: RunningEdge, id: string) => (await ask(edge, `/api/sandboxes/${id}`)).json;
const guestOf = (id: string) => id.replace("docker--", "");

test("a guest itself reports its jail, again after each wake", async () => {
  const edge = await edgeWith();
  vi.stubEnv("HANDRAIL_NO_BWRAP", "1");
  const { sandboxId } = await made(edge);
  expect(await stateOf(edge, sandboxId)).toMatchObject({ guest: { isolation: "none" } });
  await engine.kill(guestOf(sandboxId));
  expect(await stateOf(edge, sandboxId)).not.toHaveProperty("guest.isolation");
  vi.unstubAllEnvs();
  await ask(edge, `/api/sandboxes/${sandboxId}/tree`);
  const { bubblewrap } = findTools();
  const isolation = bubblewrap && bubblewrapWorks(bubblewrap) ? "bubblewrap" : "none";
  expect(await stateOf(edge, sandboxId)).toMatchObject({ guest: { isolation } });
});

test("what an engine lost while a guest slept is reported for as long as the guest is awake", {
  tags: "long",
}, async () => {
  const edge = await edgeWith();
  const { sandboxId } = await made(edge);
  await engine.kill(guestOf(sandboxId));
  engine.lostSince = 1_700_000_000_000;
  await ask(edge, `/api/sandboxes/${sandboxId}/tree`);
  for (let times = 0; times < 2; times += 1)
    expect(await stateOf(edge, sandboxId)).toMatchObject({ guest: { lostSince: 1_700_000_000_000 } });
  await engine.kill(guestOf(sandboxId));
  engine.lostSince = undefined;
  await ask(edge, `/api/sandboxes/${sandboxId}/tree`);
  expect(await stateOf(edge, sandboxId)).not.toHaveProperty("guest.lostSince");
});

test("where a host may drop a request, nobody waits for a guest that another request is waking", {
  tags: "long",
}, async () => {
  const edge = await edgeWith({ requestsApart: true });
  const { sandboxId } = await made(edge);
  await engine.kill(guestOf(sandboxId));
  const dropped = gate();
  engine.beforeStart = () => dropped.passed;
  const first = ask(edge, `/api/sandboxes/${sandboxId}/tree`);
  await expect.poll(() => stateOf(edge, sandboxId)).toMatchObject({ state: "starting" });
  engine.beforeStart = async () => undefined;
  expect((await ask(edge, `/api/sandboxes/${sandboxId}/tree`)).status).toBe(200);
  expect(await stateOf(edge, sandboxId)).toMatchObject({ state: "ready" });
  dropped.open();
  expect((await first).status).toBe(200);
});

test("a session that is deleted while its guest wakes is gone for good, and the answer says so", async () => {
  const edge = await edgeWith();
  const { sandboxId } = await made(edge);
  await engine.kill(guestOf(sandboxId));
  const starting = gate();
  const begun = gate();
  engine.beforeStart = () => {
    begun.open();
    return starting.passed;
  };
  // A guest that was removed is made again when it wakes.
  engine.makesAgain = true;
  const waking = ask(edge, `/api/sandboxes/${sandboxId}/tree`);
  await begun.passed;
  const deleted = ask(edge, `/api/sandboxes/${sandboxId}`, { method: "DELETE" });
  await expect.poll(() => engine.guests.size).toBe(0);
  starting.open();
  expect((await deleted).status).toBe(204);
  expect(engine.guests.size).toBe(0);
  await waking;
  expect(await stateOf(edge, sandboxId)).toMatchObject({ state: "gone" });
});

test("a new guest that does not answer for a moment is left to the next request for it", {
  tags: "long",
}, async () => {
  const edge = await edgeWith({}, { HANDRAIL_GUEST_JAIL: "" });
  engine.falls = true;
  const asked = () => ask(edge, "/api/sandboxes", post({ source: { sample: true }, key: "tap" }));
  expect((await asked()).status).toBeGreaterThanOrEqual(500);
  const [made] = engine.guests.keys();
  expect((await asked()).status).toBeGreaterThanOrEqual(500);
  expect([...engine.guests.keys()]).toEqual([made]);
});
