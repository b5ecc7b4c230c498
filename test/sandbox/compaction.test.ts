// A turn is compacted when its clients have stored it and fifty more have begun. Nothing is deleted by age,
// and nothing runs again.
// @module-tag long
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as limits from "../../sandbox/limits.ts";
import { type RunningServer, startServer } from "../../sandbox/server.ts";
import type { CallsRequestInput } from "../../shared/sandbox.ts";
import { freshFolder, ownOptions, removeFolders, token } from "./running-server.ts";
import { SandboxClient } from "./sandbox-client.ts";

const dayMs = 86_400_000;
let clock = Date.UTC(2026, 0, 20);
let state: string;
let server: RunningServer;
let client: SandboxClient;
let id: string;
let turns = 0;

async function start(): Promise<void> {
  server = await startServer({ ...ownOptions, state }, () => clock);
  client = new SandboxClient(`http://127.0.0.1:${server.port}`, token);
}

beforeAll(async () => {
  state = await freshFolder("state");
  await start();
  ({ id } = await client.create());
});
afterAll(async () => {
  await server.close();
  await removeFolders();
});

const sizeOf = async (turnId: string) =>
  (await stat(join(state, "sandboxes", id, "turns", `${turnId}.ndjson`))).size;
const proposal = { id: 2, event: "proposal", data: { planVersion: 1, planHash: "aa" } };
const done = { id: 3, event: "turn.done", data: { reason: "stop", rounds: 1 } };
const runs = (turnId: string): CallsRequestInput["calls"] => [
  { key: `${turnId}/1/0`, op: "exec", args: { command: "echo x >> runs; seq 1000; wc -l < runs" } },
  { key: `${turnId}/1/1`, op: "read", args: { path: "README.md" } },
];

async function run(turnId: string, by: string | undefined, end = true): Promise<void> {
  const message = { role: "tool", toolCallId: `closed-${turnId}`, content: "long ".repeat(200) };
  const record = [{ id: 1, event: "message", data: { message } }];
  const claim = { epoch: 2, inputHash: "h", record, resolves: `call:${turnId}` };
  await client.claim(id, turnId, { ...claim, ...(by ? { client: by } : {}) });
  await client.results(id, {
    access: "write",
    turn: { id: turnId, epoch: 2, round: 1, record: [] },
    calls: runs(turnId),
  });
  const turn = { id: turnId, epoch: 2, round: 1, record: end ? [proposal, done] : [] };
  await client.results(id, { turn, calls: [] });
}

/**
 * Adds as many turns of another client as it takes to push all earlier ones out of those that are kept in
 * full.
 */
async function pushOut(): Promise<void> {
  for (let n = 0; n < limits.wholeTurns; n += 1)
    await client.claim(id, `later-${++turns}`, { epoch: 1, client: "other" });
}

test("a turn that no client has confirmed is kept whole, at any age and however many follow", async () => {
  await run("kept", "phone");
  const whole = await sizeOf("kept");
  await pushOut();
  for (const days of [10, -20, 400]) {
    clock += days * dayMs;
    await client.get(`/sandboxes/${id}`);
  }
  await server.close();
  await start();
  await client.get(`/sandboxes/${id}`);
  expect(await sizeOf("kept")).toBe(whole);
  expect((await client.claim(id, "kept", { epoch: 3, client: "phone" })).records).toHaveLength(3);
});

test("what a client has is compacted: by `after` of the turn itself, or by `stored` of a later one for all before it", async () => {
  for (const turnId of ["first", "old", "both", "nameless", "open"])
    await run(turnId, turnId === "nameless" ? undefined : "phone", turnId !== "open");
  // A second phone posts one of them too, and has stored its first two events.
  await client.claim(id, "both", { epoch: 3, client: "tablet", after: 2 });
  await client.claim(id, "next", { epoch: 1, client: "phone", stored: { turnId: "both", after: 3 } });
  const before = await Promise.all(["first", "old", "both", "nameless", "open"].map(sizeOf));
  await pushOut();
  await client.get(`/sandboxes/${id}`);
  const after = await Promise.all(["first", "old", "both", "nameless", "open"].map(sizeOf));
  expect(after.map((size, index) => size < (before[index] ?? 0) / 2)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  await client.claim(id, "both", { epoch: 4, client: "tablet", after: 3 });
  await client.claim(id, "nameless", { epoch: 3, after: 3 });
  await pushOut();
  await client.get(`/sandboxes/${id}`);
  expect(await sizeOf("both")).toBeLessThan((before[2] ?? 0) / 2);
  expect(await sizeOf("nameless")).toBeLessThan((before[3] ?? 0) / 2);
});

test("a compacted turn still says that it ended, its highest epoch, its input, and what it was handed", async () => {
  const lines = await client.journal(id, "old");
  expect(lines[0]).toMatchObject({ seq: 1, type: "compacted", lines: expect.any(Number) });
  expect(lines.flatMap((line) => (line.type === "record" ? line.events : []))).toEqual([proposal, done]);
  const claim = (body: object) => client.post(`/sandboxes/${id}/turns/old/claim`, body);
  expect((await claim({ epoch: 2 })).status).toBe(409);
  expect((await claim({ epoch: 3, inputHash: "other" })).status).toBe(422);
  expect(await client.claim(id, "old", { epoch: 3 })).toMatchObject({ finished: true, compacted: true });
  for (const resolves of ["call:old", "call:closed-old"])
    expect((await client.post(`/sandboxes/${id}/turns/new/claim`, { epoch: 1, resolves })).status).toBe(409);
  expect((await client.get(`/sandboxes/${id}`)).body).toMatchObject({ proposal: { planVersion: 1 } });
});

test("a call of a compacted turn does not run again, and says that its result is no longer kept", async () => {
  const file = join(state, "sandboxes", id, "workspace", "runs");
  const before = await readFile(file, "utf8");
  const [exec, read] = await client.results(id, { access: "write", calls: runs("old") });
  expect(exec).toMatchObject({ ok: false, replayed: true, error: { code: "outcome_unknown" } });
  expect(read).toMatchObject({ ok: true, replayed: false });
  expect(await readFile(file, "utf8")).toBe(before);
});

test("of calls outside turns, results of changing ones stay; the rest runs again", async () => {
  const calls: CallsRequestInput["calls"] = [
    { key: "loose", op: "exec", args: { command: "echo kept" } },
    { key: "looked", op: "read", args: { path: "README.md" } },
  ];
  await client.results(id, { access: "write", calls });
  for (let day = 0; day < limits.wholeDays; day += 1) {
    clock += dayMs;
    await client.results(id, { calls: [{ key: `day-${day}`, op: "read", args: { path: "README.md" } }] });
  }
  await client.get(`/sandboxes/${id}`);
  const [exec, read] = await client.results(id, { access: "write", calls });
  expect(exec).toMatchObject({ ok: true, replayed: true, value: { stdout: "kept\n" } });
  expect(read).toMatchObject({ ok: true, replayed: false });
  expect(await readdir(join(state, "sandboxes", id, "calls"))).toHaveLength(limits.wholeDays + 1);
});
