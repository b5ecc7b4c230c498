// The server is killed with SIGKILL at seeded moments, again and again, on one state folder. What it accepted
// is kept, nothing runs twice, files are complete, and unknown outcomes are reported as unknown.
// @module-tag long
import { appendFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { CallsRequestInput } from "../../shared/sandbox.ts";
import { runs } from "../harness/runs.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";
import { codeOf, detailsOf } from "./sandbox-client.ts";

/** How often the server is killed; the long run is `HANDRAIL_CRASHES=500`. */
const crashes = runs(Number(process.env.HANDRAIL_CRASHES ?? 25), 4);
const seed = Number(process.env.HANDRAIL_SEED ?? 20261120);

afterAll(removeFolders);

/** Mulberry32: a small generator with the same numbers in every run. */
function random(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Sent {
  body: CallsRequestInput;
  /** Keys that may appear in at most one line. */
  keys: string[];
}

test(`${crashes} kills: no call twice, no accepted record missing, no half-written change`, {
  tags: "random",
  timeout: 180_000 + crashes * 4_000,
}, async () => {
  const next = random(seed);
  const state = await freshFolder("state");
  const workspace = await freshFolder("workspace");
  const accepted = new Map<string, number>();
  const unknown = new Set<string>();
  const done = new Set<string>();
  let pending: Sent[] = [];

  for (let life = 0; life <= crashes; life++) {
    const server = await RunningServer.start({ state, workspace });
    await server.client.create({ id: "box" });
    await expectWhole(workspace);
    await settle(server, pending, done, unknown);
    pending = [];
    for (const [turnId, lastId] of accepted) {
      // The ids that a turn was given to resolve stay with that turn.
      const thief = await server.client.post(`/sandboxes/box/turns/thief-${life}/claim`, {
        epoch: 1,
        resolves: `call:${turnId}`,
      });
      expect([thief.status, codeOf(thief), detailsOf(thief)]).toEqual([409, "stale_plan", { turnId }]);
      expect((await server.client.post(`/sandboxes/box/turns/${turnId}/claim`, { epoch: 1 })).status).toBe(
        409,
      );
      const { records } = await server.client.claim("box", turnId, { epoch: life + 2 });
      expect(records.map(({ id }) => id)).toEqual(
        Array.from({ length: Math.max(lastId, records.length) }, (_, index) => index + 1),
      );
    }
    accepted.clear();
    if (life === crashes) {
      await server.stop();
      break;
    }
    // The pause is long enough for some commands to end, even though each may need a new jail.
    const instant = next() * (runsCommands(life) ? 800 : 120);
    const killed = new Promise<void>((resolve) =>
      setTimeout(() => void server.kill().then(resolve), instant),
    );
    await work(server, life, pending, accepted, done);
    await killed;
  }
  const lines = (await readFile(join(workspace, "log.txt"), "utf8")).trim().split("\n");
  const twice = lines.filter((line, index) => lines.indexOf(line) !== index);
  expect(twice).toEqual([]);
  for (const key of done) expect([key, lines.includes(key)]).toEqual([key, true]);
  // Unknown outcomes are reported only where they are unknown, far less often than commands ran.
  expect(unknown.size).toBeLessThanOrEqual(crashes);
  expect(await readdir(workspace)).not.toContainEqual(expect.stringContaining("handrail-tmp"));
});

/**
 * The other lives only change files: the critical moments of a change are short, and slow commands would
 * leave few of them.
 */
const runsCommands = (life: number): boolean => life % 2 === 0;

/** Sends batch after batch until the server has died. */
async function work(
  server: RunningServer,
  life: number,
  pending: Sent[],
  accepted: Map<string, number>,
  done: Set<string>,
): Promise<void> {
  const turnId = `t${life}`;
  const kinds = runsCommands(life) ? ["exec", "snapshot", "change"] : ["change"];
  try {
    await server.client.claim("box", turnId, {
      epoch: 1,
      resolves: `call:${turnId}`,
      record: [{ id: 1, event: "turn.started", data: {} }],
    });
    accepted.set(turnId, 1);
    for (let round = 1; ; round++) {
      const key = `${turnId}/${round}/0`;
      const content = `${key}\n`.repeat(200);
      const body: CallsRequestInput = {
        access: "write",
        turn: { id: turnId, epoch: 1, round, record: [{ id: round + 1, event: "message", data: { round } }] },
        calls: [
          {
            key,
            op: "exec",
            args: { command: `echo ${key} >> log.txt; printf '%s' '${content}' > a.txt; cp a.txt b.txt` },
          },
          { key: `${turnId}/${round}/1`, op: "snapshot", args: {} },
          {
            key: `${turnId}/${round}/2`,
            op: "change",
            args: {
              files: ["c.txt", "d.txt"].map((path) => ({
                path: `${turnId}-${round}-${path}`,
                content,
                base: null,
              })),
            },
          },
        ],
      };
      body.calls = body.calls.filter(({ op }) => kinds.includes(op));
      const sent = { body, keys: kinds.includes("exec") ? [key] : [] };
      pending.push(sent);
      const lines = await server.client.lines("box", body);
      accepted.set(turnId, round + 1);
      if (lines.some((line) => line.type === "result" && line.key === key && line.ok)) done.add(key);
      pending.splice(pending.indexOf(sent), 1);
    }
  } catch {
    // The connection broke: the server is dead.
  }
}

/** Sends calls without an answer again, outside of their turn's fence, as a new attempt would. */
async function settle(
  server: RunningServer,
  pending: Sent[],
  done: Set<string>,
  unknown: Set<string>,
): Promise<void> {
  for (const { body, keys } of pending) {
    const results = await server.client.results("box", { access: "write", calls: body.calls });
    for (const key of keys) {
      const result = results.find((candidate) => candidate.key === key);
      if (result?.ok) done.add(key);
      else {
        expect(result?.error?.code).toBe("outcome_unknown");
        unknown.add(key);
      }
    }
    const again = await server.client.results("box", { access: "write", calls: body.calls });
    expect(again.map(({ ok, value, error, at }) => ({ ok, value, error, at }))).toEqual(
      results.map(({ ok, value, error, at }) => ({ ok, value, error, at })),
    );
  }
}

/** The two files of every change exist both or not at all, and each is complete. */
async function expectWhole(workspace: string): Promise<void> {
  const names = await readdir(workspace);
  for (const name of names.filter((candidate) => candidate.endsWith("-c.txt"))) {
    const other = name.replace("-c.txt", "-d.txt");
    expect(names).toContain(other);
    const content = await readFile(join(workspace, name), "utf8");
    expect(content.split("\n")).toHaveLength(201);
    expect(await readFile(join(workspace, other), "utf8")).toBe(content);
  }
}

test("a torn last line is dropped and reported, and the journal continues after it", async () => {
  const state = await freshFolder("state");
  const before = await RunningServer.start({ state });
  const { id } = await before.client.create();
  await before.client.claim(id, "t", { epoch: 1, record: [{ id: 1, event: "message", data: {} }] });
  await before.kill();
  await appendFile(join(state, "sandboxes", id, "turns", "t.ndjson"), '{"seq":3,"at":1,"type":"rec');
  const after = await RunningServer.start({ state });
  await after.client.claim(id, "t", { epoch: 2 });
  expect(
    (await after.client.journal(id, "t")).map((line) => ("seq" in line ? [line.seq, line.type] : [])),
  ).toEqual([
    [1, "claim"],
    [2, "record"],
    [3, "claim"],
  ]);
  expect(after.log).toContain("torn last line");
  await after.stop();
});

test("stopping the server ends the running command and records that", async () => {
  const state = await freshFolder("state");
  const before = await RunningServer.start({ state });
  const { id } = await before.client.create();
  const body: CallsRequestInput = {
    access: "write",
    calls: [{ key: "long", op: "exec", args: { command: "echo begun; sleep 600" } }],
  };
  const response = await before.client.fetch(`/sandboxes/${id}/calls`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  const reader = response.body?.getReader();
  await reader?.read();
  expect(await before.stop()).toBe(0);
  const after = await RunningServer.start({ state });
  expect((await after.client.results(id, body))[0]).toMatchObject({
    ok: false,
    replayed: true,
    error: { code: "stopped" },
    value: { stdout: "begun\n" },
  });
  await after.stop();
});

test("a server whose parent dies ends by itself", async () => {
  const server = await RunningServer.start();
  server.closeStdin();
  expect(await server.exited).toBe(0);
});
