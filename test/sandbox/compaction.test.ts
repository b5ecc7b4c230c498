// Turns that ended more than a week ago are made small: what they did to the plan stays, and nothing runs again.
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningServer, startServer } from "../../sandbox/server.ts";
import type { CallsRequestInput } from "../../shared/sandbox.ts";
import { freshFolder, removeFolders, token } from "./running-server.ts";
import { SandboxClient } from "./sandbox-client.ts";

const dayMs = 86_400_000;
let clock = Date.UTC(2026, 0, 1);
let state: string;
let server: RunningServer;
let client: SandboxClient;
let id: string;

async function start(): Promise<void> {
  const options = {
    token,
    workspace: undefined,
    state,
    port: 0,
    host: "127.0.0.1",
    network: "none",
    networkHosts: [],
    privateSources: true,
    tools: "none",
    commandBytes: 1024 ** 3,
    diskQuotaBytes: 0,
  } as const;
  server = await startServer(options, () => clock);
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

async function run(turnId: string, end: boolean): Promise<void> {
  const message = { role: "tool", toolCallId: `closed-${turnId}`, content: "long ".repeat(200) };
  const record = [{ id: 1, event: "message", data: { message } }];
  await client.claim(id, turnId, { epoch: 2, inputHash: "h", record, resolves: `call:${turnId}` });
  await client.results(id, {
    access: "write",
    turn: { id: turnId, epoch: 2, round: 1, record: [] },
    calls: runs(turnId),
  });
  const turn = { id: turnId, epoch: 2, round: 1, record: end ? [proposal, done] : [] };
  await client.results(id, { turn, calls: [] });
}

test("a turn is kept whole for seven days, and made small by the server that runs or by the next one", async () => {
  await run("old", true);
  await run("open", false);
  const whole = { old: await sizeOf("old"), open: await sizeOf("open") };
  clock += 6.9 * dayMs;
  await client.get(`/sandboxes/${id}`);
  expect(await sizeOf("old")).toBe(whole.old);
  await run("young", true);
  const young = await sizeOf("young");
  clock += 0.2 * dayMs;
  await client.get(`/sandboxes/${id}`);
  expect(await sizeOf("old")).toBeLessThan(whole.old / 3);
  // One that never ended may still go on.
  expect([await sizeOf("open"), await sizeOf("young")]).toEqual([whole.open, young]);
  await server.close();
  clock += 7 * dayMs;
  await start();
  await client.get(`/sandboxes/${id}`);
  expect(await sizeOf("young")).toBeLessThan(young / 3);
});

test("what a small turn still says: that it ended, its highest epoch, its input, what it was handed", async () => {
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

test("a call of a small turn does not run again, and says that its result is no longer kept", async () => {
  const [exec, read] = await client.results(id, { access: "write", calls: runs("old") });
  expect(exec).toMatchObject({ ok: false, replayed: true, error: { code: "outcome_unknown" } });
  expect(read).toMatchObject({ ok: true, replayed: false });
  const file = join(state, "sandboxes", id, "workspace", "runs");
  expect((await readFile(file, "utf8")).split("\n")).toHaveLength(3 + 1);
});

test("calls outside turns go the same way, day by day", async () => {
  const call: CallsRequestInput["calls"] = [{ key: "loose", op: "exec", args: { command: "seq 5000" } }];
  await client.results(id, { access: "write", calls: call });
  const days = await readdir(join(state, "sandboxes", id, "calls"));
  clock += 8 * dayMs;
  const [again] = await client.results(id, { access: "write", calls: call });
  expect(again).toMatchObject({ ok: false, replayed: true, error: { code: "outcome_unknown" } });
  for (const day of days)
    expect((await stat(join(state, "sandboxes", id, "calls", day))).size).toBeLessThan(2_000);
});
