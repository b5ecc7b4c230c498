// Sessions in guests: their states, the queue for places, and the session list, with a fake engine.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { GuestCounts, SandboxAnswer } from "../../../shared/api.ts";
import { SessionList } from "../../../shared/history.ts";
import { GuestEngine } from "../../fakes/guest-engine.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server.ts";
import { Conversation } from "../../harness/conversation.ts";
import { type RunningEdge, startEdge } from "../../harness/edge-in-process.ts";
import { gate } from "../../harness/gate.ts";
import { ask, post } from "../http/request.ts";

const secret = "the secret of these tests, of no use elsewhere";
const sample = { source: { sample: true } };

let model: ModelServer;
let engine: GuestEngine;
const edges: RunningEdge[] = [];

beforeEach(async () => {
  model = await startModelServer([{ text: "done" }]);
  engine = new GuestEngine();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const edge of edges.splice(0)) await edge.close();
  await engine.close();
  await model.close();
});

async function edgeWith(more: Record<string, string> = {}): Promise<RunningEdge> {
  const env = {
    HANDRAIL_ENGINE: "docker",
    HANDRAIL_ENGINE_SECRET: secret,
    HANDRAIL_GUEST_JAIL: "0",
    ...more,
  };
  const edge = await startEdge(model.url, env, engine.platform);
  edges.push(edge);
  return edge;
}

async function made(edge: RunningEdge, body: object = sample): Promise<SandboxAnswer> {
  const { status, json, text } = await ask(edge, "/api/sandboxes", post(body));
  expect(status, text).toBe(201);
  return SandboxAnswer.parse(json);
}

const stateOf = async (edge: RunningEdge, id: string) => (await ask(edge, `/api/sandboxes/${id}`)).json;
const guestOf = (id: string) => id.replace("docker--", "");

test("a session has a guest of its own, and everything works as on the server", async () => {
  const edge = await edgeWith();
  const [one, two] = [await made(edge), await made(edge)];
  expect(engine.guests.size).toBe(2);
  expect(one).toMatchObject({ state: "ready", guest: { engine: "docker" } });
  model.play([
    { calls: [{ name: "write_file", args: { path: "made.txt", content: "by the first\n" } }] },
    { text: "done" },
  ]);
  const talk = new Conversation(edge, one.sandboxId);
  await talk.say("Make a file.");
  expect((await ask(edge, `/api/sandboxes/${one.sandboxId}/file?path=made.txt`)).text).toBe("by the first\n");
  expect((await ask(edge, `/api/sandboxes/${two.sandboxId}/file?path=made.txt`)).status).toBe(404);
});

test("another edge with the same secret finds the guest, and one with another secret is refused", {
  tags: "long",
}, async () => {
  const { sandboxId } = await made(await edgeWith());
  expect(await stateOf(await edgeWith(), sandboxId)).toMatchObject({ sandboxId, state: "ready" });
  const stranger = await edgeWith({ HANDRAIL_ENGINE_SECRET: `another one, ${secret}` });
  expect((await ask(stranger, `/api/sandboxes/${sandboxId}/tree`)).status).toBe(503);
});

test("looking at a sleeping sandbox does not wake it, and asking for its files does", {
  tags: "long",
}, async () => {
  const edge = await edgeWith();
  const { sandboxId } = await made(edge);
  await engine.kill(guestOf(sandboxId));
  expect(await stateOf(edge, sandboxId)).toMatchObject({ state: "asleep", guest: { engine: "docker" } });
  const followed = await ask(edge, `/api/sandboxes/${sandboxId}/history?waitMs=10`);
  expect(followed.json).toMatchObject({
    error: { code: "sandbox_unreachable", details: { state: "asleep" } },
  });
  expect(engine.calls).not.toContain("wake");
  expect((await ask(edge, `/api/sandboxes/${sandboxId}/tree`)).status).toBe(200);
  expect(await stateOf(edge, sandboxId)).toMatchObject({ state: "ready" });
});

test("a turn wakes its sandbox, which reports meanwhile how long it has been starting", async () => {
  const edge = await edgeWith();
  const { sandboxId } = await made(edge);
  await engine.kill(guestOf(sandboxId));
  const hold = gate();
  engine.beforeStart = () => hold.passed;
  const said = new Conversation(edge, sandboxId).say("Hello?");
  await expect
    .poll(() => stateOf(edge, sandboxId))
    .toMatchObject({ state: "starting", guest: { startingMs: expect.any(Number) } });
  hold.open();
  expect((await said).map(({ event }) => event)).toContain("turn.done");
  expect(engine.calls.filter((call) => call === "wake")).toHaveLength(1);
});

test("a guest that fell asleep is found again after another guest took its port", {
  tags: "long",
}, async () => {
  const edge = await edgeWith();
  const [one, two] = [await made(edge), await made(edge)];
  engine.port = engine.guests.get(guestOf(one.sandboxId))?.server?.port ?? 0;
  for (const { sandboxId } of [one, two]) await engine.kill(guestOf(sandboxId));
  expect((await ask(edge, `/api/sandboxes/${two.sandboxId}/tree`)).status).toBe(200);
  engine.port = 0;
  expect((await ask(edge, `/api/sandboxes/${one.sandboxId}/tree`)).status).toBe(200);
  expect((await ask(edge, `/api/sandboxes/${two.sandboxId}/tree`)).status).toBe(200);
});

test("a guest that is gone and a sleeping one are reported differently", { tags: "long" }, async () => {
  const edge = await edgeWith();
  const { sandboxId } = await made(edge);
  await engine.kill(guestOf(sandboxId));
  engine.guests.clear();
  expect(await stateOf(edge, sandboxId)).toMatchObject({ state: "gone" });
  const { status, json } = await ask(edge, `/api/sandboxes/${sandboxId}/tree`);
  expect(status).toBe(404);
  expect(json).toMatchObject({ error: { code: "not_found", details: { state: "gone" } } });
});

test("a guest that ended without being saved waits for a person, who is told the time of its copy and brings it back", {
  tags: "long",
}, async () => {
  const edge = await edgeWith();
  const { sandboxId } = await made(edge);
  const snapshotAt = 1_700_000_000_000;
  await engine.kill(guestOf(sandboxId));
  engine.copies.set(guestOf(sandboxId), snapshotAt);
  expect(await stateOf(edge, sandboxId)).toMatchObject({ state: "gone", guest: { snapshotAt } });
  // Files and journal are in an older state, so no turn may continue before the person has decided.
  for (const path of ["tree", "history"]) {
    const { status, json } = await ask(edge, `/api/sandboxes/${sandboxId}/${path}`);
    expect([status, json]).toMatchObject([404, { error: { details: { state: "gone", snapshotAt } } }]);
  }
  expect(engine.calls).not.toContain("wake");
  expect((await ask(edge, `/api/sandboxes/${sandboxId}/wake`, { method: "POST" })).status).toBe(204);
  engine.copies.clear();
  expect(await stateOf(edge, sandboxId)).toMatchObject({ state: "ready" });
  expect((await ask(edge, `/api/sandboxes/${sandboxId}/tree`)).status).toBe(200);
});

test("a sandbox requested twice under one key is created once", { tags: "long" }, async () => {
  const edge = await edgeWith();
  const first = await made(edge, { ...sample, key: "tap-1" });
  const { status, json } = await ask(edge, "/api/sandboxes", post({ ...sample, key: "tap-1" }));
  expect([status, json]).toMatchObject([201, { sandboxId: first.sandboxId }]);
  expect(engine.guests.size).toBe(1);
});

test("a guest in which no jail works is used only when the settings allow it", { tags: "long" }, async () => {
  vi.stubEnv("HANDRAIL_NO_BWRAP", "1");
  const { json } = await ask(await edgeWith({ HANDRAIL_GUEST_JAIL: "" }), "/api/sandboxes", post(sample));
  expect(json).toMatchObject({
    error: { code: "invalid_request", message: expect.stringContaining("HANDRAIL_GUEST_JAIL=0") },
  });
  expect(engine.guests.size).toBe(0);
  await made(await edgeWith({ HANDRAIL_GUEST_JAIL: "0" }));
});

test("a creation that fails leaves no guest", { tags: "long" }, async () => {
  const edge = await edgeWith();
  const { status } = await ask(edge, "/api/sandboxes", post({ source: { git: "not an address" } }));
  expect(status).toBe(400);
  expect(engine.guests.size).toBe(0);
});

test("deleting a session removes its guest without waking it", { tags: "long" }, async () => {
  const edge = await edgeWith();
  const { sandboxId } = await made(edge);
  await engine.kill(guestOf(sandboxId));
  expect((await ask(edge, `/api/sandboxes/${sandboxId}`, { method: "DELETE" })).status).toBe(204);
  expect(engine.guests.size).toBe(0);
  expect(engine.calls).not.toContain("wake");
});

test("sessions in guests and on the server share one list", { tags: "long" }, async () => {
  const edge = await edgeWith({ HANDRAIL_ENGINE: "here,docker" });
  const config = (await ask(edge, "/api/config")).json;
  expect(config).toMatchObject({ sandbox: { engines: [{ name: "here" }, { name: "docker" }] } });
  const here = await made(edge, {});
  const [awake, asleep] = [await made(edge, { engine: "docker" }), await made(edge, { engine: "docker" })];
  await engine.kill(guestOf(asleep.sandboxId));
  const { sandboxes } = SessionList.parse((await ask(edge, "/api/sandboxes")).json);
  expect(sandboxes.map(({ sandboxId }) => sandboxId).sort()).toEqual(
    [here, awake, asleep].map(({ sandboxId }) => sandboxId).sort(),
  );
  expect(engine.calls).not.toContain("wake");
  const unknown = await ask(edge, "/api/sandboxes", post({ engine: "e2b" }));
  expect(unknown.json).toMatchObject({ error: { code: "invalid_request" } });
});

test("a session without capacity waits in a queue, keeps its place, and starts when another one goes to sleep", {
  tags: "long",
}, async () => {
  const edge = await edgeWith({ HANDRAIL_GUEST_LIMIT: "1" });
  const { sandboxId } = await made(edge);
  const wait = async (key: string) => (await ask(edge, "/api/sandboxes", post({ ...sample, key }))).json;
  const place = (number: number) => ({ error: { code: "rate_limited", details: { place: number } } });
  expect(await wait("a")).toMatchObject(place(1));
  expect(await wait("b")).toMatchObject(place(2));
  expect(await wait("a")).toMatchObject(place(1));
  await engine.kill(guestOf(sandboxId));
  expect(await wait("b")).toMatchObject(place(2));
  expect(await wait("a")).toMatchObject({ state: "ready" });
  const counts = (await ask(edge, "/api/metrics")).json;
  expect(counts).toMatchObject({ guests: { states: { ready: 1, asleep: 1 }, waiting: 1, limit: 1 } });
});

test("a guest that is awake does not count against itself, and a request without a key keeps no place in the queue", {
  tags: "long",
}, async () => {
  const edge = await edgeWith({ HANDRAIL_GUEST_LIMIT: "1" });
  const { sandboxId } = await made(edge, { ...sample, key: "tap-1" });
  expect(await made(edge, { ...sample, key: "tap-1" })).toMatchObject({ sandboxId });
  for (let times = 0; times < 3; times += 1)
    expect((await ask(edge, "/api/sandboxes", post(sample))).json).toMatchObject({
      error: { code: "rate_limited", details: { place: 1 } },
    });
  expect((await ask(edge, "/api/metrics")).json).toMatchObject({ guests: { waiting: 0 } });
});

test("an engine that does not answer does not block other engines' sessions", {
  tags: "long",
}, async () => {
  const edge = await edgeWith({ HANDRAIL_ENGINE: "here,docker", HANDRAIL_GUEST_LIMIT: "1" });
  const here = await made(edge, {});
  await made(edge, { engine: "docker" });
  engine.away = true;
  const { sandboxes } = SessionList.parse((await ask(edge, "/api/sandboxes")).json);
  expect(sandboxes.map(({ sandboxId }) => sandboxId)).toEqual([here.sandboxId]);
  expect((await ask(edge, "/api/metrics")).status).toBe(200);
  // The guests of an engine that does not answer are counted as it last listed them.
  engine.away = false;
  expect((await ask(edge, "/api/sandboxes", post({ engine: "docker" }))).status).toBe(429);
  engine.away = true;
  expect((await ask(edge, "/api/sandboxes", post({ engine: "docker" }))).status).toBe(429);
});

test("metrics count guests by state and say what an hour costs", { tags: "long" }, async () => {
  engine.costPerHour = 0.1;
  const edge = await edgeWith();
  const [one] = [await made(edge), await made(edge)];
  await engine.kill(guestOf(one.sandboxId));
  const { json } = await ask(edge, "/api/metrics");
  const { states, dollarsPerHour } = GuestCounts.parse((json as { guests: unknown }).guests);
  expect([states, dollarsPerHour]).toEqual([{ ready: 1, starting: 0, asleep: 1, gone: 0 }, 0.1]);
  const told = await ask(await edgeWith({ HANDRAIL_GUEST_COST: "0.3" }), "/api/metrics");
  expect(told.json).toMatchObject({ guests: { dollarsPerHour: 0.3 } });
});

test("the error names an engine that does not answer, and it is tried again", { tags: "long" }, async () => {
  const edge = await edgeWith();
  const { sandboxId } = await made(edge);
  await engine.kill(guestOf(sandboxId));
  engine.away = true;
  expect((await ask(edge, `/api/sandboxes/${sandboxId}/tree`)).json).toMatchObject({
    error: { code: "sandbox_unreachable", message: "The engine does not answer." },
  });
  engine.away = false;
  expect((await ask(edge, `/api/sandboxes/${sandboxId}/tree`)).status).toBe(200);
});

test("concurrent requests wake a guest once", { tags: "long" }, async () => {
  const edge = await edgeWith();
  const { sandboxId } = await made(edge);
  await engine.kill(guestOf(sandboxId));
  const trees = await Promise.all([1, 2, 3].map(() => ask(edge, `/api/sandboxes/${sandboxId}/tree`)));
  expect(trees.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(engine.calls.filter((call) => call === "wake")).toHaveLength(1);
});

test("once a day's budget is used up no guest is created or woken, and the refusal says when it is possible again", {
  tags: "long",
}, async () => {
  // The price is so high that making one guest uses up the budget.
  engine.costPerHour = 1e9;
  const edge = await edgeWith({ HANDRAIL_GUEST_BUDGET: "1" });
  const { sandboxId } = await made(edge);
  const refused = { error: { code: "rate_limited", details: { reason: "budget" } } };
  expect((await ask(edge, "/api/sandboxes", post(sample))).json).toMatchObject(refused);
  await engine.kill(guestOf(sandboxId));
  const woken = await ask(edge, `/api/sandboxes/${sandboxId}/tree`);
  expect(woken.json).toMatchObject(refused);
  expect(Number(woken.headers.get("retry-after"))).toBeGreaterThan(0);
});
