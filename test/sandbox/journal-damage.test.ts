// Damage that a disk can do to a journal: an end cut off, a damaged middle, a full disk.
import { appendFile, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SandboxInfo } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";
import { codeOf, detailsOf } from "./sandbox-client.ts";

afterAll(removeFolders);

const event = (id: number) => ({ id, event: "message", data: { id } });
/** 4 is the id of the message with the call's result, which may have been sent. */
const lostPart = {
  id: 5,
  event: "turn.failed",
  data: {
    error: { code: "not_kept", message: expect.stringContaining("send a new message"), retryable: false },
  },
};
const seqs = (lines: readonly object[]) =>
  lines.flatMap((line) => ("seq" in line && "type" in line ? [`${line.seq} ${line.type}`] : []));

describe("a journal that was damaged while its server was down", () => {
  let state: string;
  let id: string;
  let path: string;

  beforeAll(async () => {
    state = await freshFolder("state");
    const server = await RunningServer.start({ state });
    ({ id } = await server.client.create());
    await server.client.claim(id, "t", { epoch: 1, record: [event(1), event(2)] });
    await server.client.results(id, {
      access: "write",
      turn: { id: "t", epoch: 1, round: 1, record: [event(3)] },
      calls: [{ key: "t/1/0", op: "exec", args: { command: "echo x >> log" } }],
    });
    await server.kill();
    path = join(state, "sandboxes", id, "turns", "t.ndjson");
  });

  test("loses what was torn off at the end, even several lines, and says so", async () => {
    const whole = await readFile(path, "utf8");
    await appendFile(path, `{"seq":7,"at":1\n${"\0".repeat(5_000)}\n{"seq":8,"at":1,"ty`);
    const server = await RunningServer.start({ state });
    expect(seqs(await server.client.journal(id, "t")).at(-1)).toBe(
      `${whole.trim().split("\n").length} result`,
    );
    expect(server.log).toContain("torn");
    await server.kill();
    expect(await readFile(path, "utf8")).toBe(whole);
  });

  test("keeps all other lines when one in the middle is lost, and lets nobody continue it", async () => {
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    const started = lines.findIndex((line) => line.includes('"started"'));
    const broken = lines.with(started, "\0".repeat(40)).join("\n");
    await writeFile(path, `${broken}\n`);
    const server = await RunningServer.start({ state });
    const read = await server.client.journal(id, "t");
    expect(seqs(read)[started]).toBe(`${started + 1} lost`);
    expect(seqs(read)).toHaveLength(lines.length);
    expect(server.log).toContain("damaged");
    const folder = await readdir(join(state, "sandboxes", id, "turns"));
    const copy = folder.find((name) => name.includes(".damaged-")) ?? "";
    expect(await readFile(join(state, "sandboxes", id, "turns", copy), "utf8")).toBe(`${broken}\n`);
    const refused = await server.client.post(`/sandboxes/${id}/calls`, {
      turn: { id: "t", epoch: 1, round: 2, record: [event(4)] },
      calls: [],
    });
    expect([refused.status, codeOf(refused)]).toEqual([410, "not_kept"]);
    // The next client that posts the turn ends it, once, with an explanation.
    const ended = await server.client.claim(id, "t", { epoch: 2, after: 4 });
    expect(ended).toMatchObject({ finished: true, records: [event(1), event(2), event(3), lostPart] });
    expect((await server.client.claim(id, "t", { epoch: 3 })).records).toHaveLength(4);
    // The line that described the call is lost, and the call still does not run a second time.
    const again = await server.client.post(`/sandboxes/${id}/calls`, {
      access: "write",
      calls: [{ key: "t/1/0", op: "exec", args: { command: "echo x >> log" } }],
    });
    expect(codeOf(again)).toBe("key_reused");
    await server.client.claim(id, "next", { epoch: 1, record: [event(1)] });
    await server.stop();
  });
});

describe("a full disk", () => {
  let server: RunningServer;
  let id: string;
  const turnPath = (name: string) => join(server.state, "sandboxes", id, "turns", `${name}.ndjson`);

  beforeAll(async () => {
    server = await RunningServer.start();
    ({ id } = await server.client.create());
    const plan = { plan: { version: 1, hash: "aa" } };
    await server.client.claim(id, "first", {
      epoch: 1,
      record: [
        { id: 1, event: "plan", data: plan },
        { id: 2, event: "proposal", data: { planVersion: 1, planHash: "aa" } },
        { id: 3, event: "turn.done", data: { reason: "proposed", rounds: 1 } },
      ],
    });
  });
  afterAll(async () => {
    await server.stop();
  });

  test("refuses a claim with the reason, and hands out nothing", async () => {
    // Every write to /dev/full fails as on a full disk.
    await symlink("/dev/full", turnPath("t"));
    const body = { epoch: 1, resolves: "proposal:1:aa", record: [event(1)] };
    const refused = await server.client.post(`/sandboxes/${id}/turns/t/claim`, body);
    expect([refused.status, codeOf(refused)]).toEqual([507, "disk_full"]);
    expect(detailsOf(refused)).toEqual({ reason: "full", folder: "state" });
    expect(refused.body).toMatchObject({
      error: { retryable: true, message: expect.stringMatching(/state folder.* is full\. Make room/) },
    });
    expect(JSON.stringify(refused.body)).not.toContain(server.state);
    expect(server.log).toContain(server.state);
    expect((await server.client.get(`/sandboxes/${id}/turns/t`)).status).toBe(404);
    expect((await server.client.get(`/sandboxes/${id}`)).body).toMatchObject({
      proposal: { planVersion: 1, planHash: "aa" },
    });
    await rm(turnPath("t"));
    await server.client.claim(id, "other", { epoch: 1, resolves: "proposal:1:aa" });
    const late = await server.client.post(`/sandboxes/${id}/turns/t/claim`, body);
    expect([late.status, codeOf(late)]).toEqual([409, "stale_plan"]);
  });

  test("starts no call that it cannot record, and does so under the same key once there is room", async () => {
    await symlink("/dev/full", turnPath("u"));
    const body = {
      access: "write" as const,
      turn: { id: "u", epoch: 1, round: 1, record: [event(1)] },
      calls: [{ key: "u/1/0", op: "exec" as const, args: { command: "echo x >> ran; cat ran" } }],
    };
    const refused = await server.client.post(`/sandboxes/${id}/calls`, body);
    expect([refused.status, codeOf(refused)]).toEqual([507, "disk_full"]);
    await rm(turnPath("u"));
    const [result] = await server.client.results(id, body);
    expect(result).toMatchObject({ ok: true, replayed: false, value: { stdout: "x\n" } });
  });

  test("refuses a read that it cannot record, and answers it once there is room", async () => {
    const day = new Date().toISOString().slice(0, 10);
    const { id: box } = await server.client.create();
    const path = join(server.state, "sandboxes", box, "calls", `${day}.ndjson`);
    await symlink("/dev/full", path);
    const call = { key: "r", op: "read" as const, args: { path: "README.md" } };
    const [refused] = await server.client.results(box, { calls: [call] });
    expect(refused).toMatchObject({ ok: false, error: { retryable: true } });
    await rm(path);
    expect((await server.client.results(box, { calls: [call] }))[0]).toMatchObject({
      ok: true,
      replayed: false,
    });
  });

  test("makes the result of what ran unknown when there was no room for it, and continues", async () => {
    const go = join(server.state, "sandboxes", id, "workspace", "go");
    await server.client.claim(id, "v", { epoch: 1 });
    const call = {
      key: "v/1/0",
      op: "exec" as const,
      args: { command: "until [ -e go ]; do sleep 0.01; done" },
    };
    const turn = { id: "v", epoch: 1, round: 1, record: [] };
    const response = await server.client.fetch(`/sandboxes/${id}/calls`, {
      method: "POST",
      body: JSON.stringify({ access: "write", turn, calls: [call] }),
    });
    const running = async () => (await server.client.journal(id, "v")).some(({ type }) => type === "started");
    while (!(await running()));
    const kept = await readFile(turnPath("v"));
    await rm(turnPath("v"));
    await symlink("/dev/full", turnPath("v"));
    await writeFile(go, "");
    expect(await response.text()).toContain('"outcome_unknown"');
    await rm(turnPath("v"));
    await writeFile(turnPath("v"), kept);
    const [again] = await server.client.results(id, { access: "write", calls: [call] });
    expect(again).toMatchObject({ ok: false, replayed: true, error: { code: "outcome_unknown" } });
    // If the call counted as running, followers of its turn would wait for it.
    const { body } = await server.client.get(`/sandboxes/${id}`);
    expect(SandboxInfo.parse(body).running ?? []).toEqual([]);
    expect((await server.client.call(id, "exec", { command: "true" })).ok).toBe(true);
  });
});
