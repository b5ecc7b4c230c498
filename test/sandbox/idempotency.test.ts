// One key, one call: repeated, followed, refused, and remembered by the next server.
import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import { type CallsRequestInput, SnapshotValue } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders, until } from "./running-server.ts";
import { codeOf, type SandboxClient } from "./sandbox-client.ts";

let server: RunningServer;
let client: SandboxClient;

beforeAll(async () => {
  server = await RunningServer.start();
  client = server.client;
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const counting = { op: "exec", args: { command: "echo run >> runs.txt; wc -l < runs.txt" } } as const;
const runs = async (id: string) => await client.call(id, "read", { path: "runs.txt" });

test("a call sent again gives its stored result and does not run again", async () => {
  const { id } = await client.create();
  const send = () => client.results(id, { access: "write", calls: [{ key: "k", ...counting }] });
  const [first] = await send();
  const [second] = await send();
  expect(first?.replayed).toBe(false);
  expect(second).toEqual({ ...first, replayed: true });
});

test("the order of argument names does not make another call", async () => {
  const { id } = await client.create();
  const send = (args: Record<string, unknown>) =>
    client.results(id, { calls: [{ key: "k", op: "read", args }] });
  const [first] = await send({ path: "README.md", start: 1 });
  const [second] = await send({ start: 1, path: "README.md" });
  expect(second).toEqual({ ...first, replayed: true });
});

test("the key of another call refuses the whole request before anything runs", async () => {
  const { id } = await client.create();
  await client.results(id, { access: "write", calls: [{ key: "k", ...counting }] });
  const refused = await client.post(`/sandboxes/${id}/calls`, {
    access: "write",
    turn: { id: "t", epoch: 1, round: 0, record: [{ id: 1, event: "message", data: {} }] },
    calls: [
      { key: "fresh", ...counting },
      { key: "k", op: "exec", args: { command: "true" } },
    ],
  });
  expect([refused.status, codeOf(refused)]).toEqual([422, "key_reused"]);
  expect((await runs(id)).value).toMatchObject({ total: 1 });
  expect((await client.get(`/sandboxes/${id}/turns/t`)).status).toBe(404);
});

test("fifty requests at once run a call once and all get its result", async () => {
  const { id } = await client.create();
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      client.results(id, { access: "write", calls: [{ key: "once", ...counting }] }),
    ),
  );
  const results = answers.flat();
  expect(new Set(results.map(({ value, at }) => JSON.stringify([value, at]))).size).toBe(1);
  expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
  expect((await runs(id)).value).toMatchObject({ total: 1 });
});

test("who follows a running call gets its output from the beginning", async () => {
  const { id } = await client.create();
  const body = {
    access: "write" as const,
    calls: [
      {
        key: "slow",
        op: "exec" as const,
        args: { command: "echo early; touch begun; until [ -e go ]; do sleep 0.02; done; echo late" },
      },
    ],
  };
  const first = client.lines(id, body);
  await until(async () => (await client.call(id, "read", { path: "begun" })).ok);
  const second = client.lines(id, body);
  await until(async () => JSON.stringify((await client.get(`/sandboxes/${id}`)).body).includes("echo early"));
  await client.results(id, { access: "write", calls: [] });

  await writeFile(`${server.state}/sandboxes/${id}/workspace/go`, "");
  const texts = (await Promise.all([first, second])).map((lines) =>
    lines.flatMap((line) => (line.type === "output" ? [line.text] : [])).join(""),
  );
  expect(texts).toEqual(["early\nlate\n", "early\nlate\n"]);
});

test("a reader that goes away does not end the call", async () => {
  const { id } = await client.create();
  const gone = new AbortController();
  const key = "left-alone";
  const call = {
    key,
    op: "exec",
    args: { command: "touch begun; until [ -e go ]; do sleep 0.02; done; echo finished" },
  } as const;
  const body = JSON.stringify({ access: "write", calls: [call] });
  const reading = client
    .fetch(`/sandboxes/${id}/calls`, { method: "POST", body, signal: gone.signal })
    .then((response) => response.text());
  await until(async () => (await client.call(id, "read", { path: "begun" })).ok);
  gone.abort();
  await expect(reading).rejects.toThrow();

  await writeFile(`${server.state}/sandboxes/${id}/workspace/go`, "");
  const [result] = await client.results(id, { access: "write", calls: [call] });
  expect(result).toMatchObject({ ok: true, replayed: true, value: { stdout: "finished\n" } });
});

test("refusals are not stored: the same key may run later", async () => {
  const { id } = await client.create();
  const call = {
    key: "later",
    op: "change",
    args: { files: [{ path: "a.txt", content: "a\n", base: null }] },
  } as const;
  const [refused] = await client.results(id, { access: "readonly", calls: [call] });
  const [done] = await client.results(id, { access: "write", calls: [call] });
  expect([refused?.error?.code, done?.ok, done?.replayed]).toEqual(["readonly", true, false]);
});

test("results, turns, versions and snapshots outlive the server", async () => {
  const state = await freshFolder("state");
  const before = await RunningServer.start({ state });
  const { id } = await before.client.create();
  const call: CallsRequestInput = { access: "write", calls: [{ key: "k", ...counting }] };
  const [first] = await before.client.results(id, call);
  await before.client.claim(id, "t", {
    epoch: 4,
    inputHash: "h",
    record: [{ id: 1, event: "proposal", data: { planVersion: 1, planHash: "aa" } }],
  });
  await before.client.claim(id, "winner", { epoch: 1, resolves: "proposal:1:aa" });
  const change = { files: [{ path: "a.txt", content: "one\ntwo\n", base: null }] };
  await before.client.call(id, "change", change);
  await before.client.call(id, "exec", { command: "printf 'zero\\none\\ntwo\\n' > a.txt" });
  const snapshot = await before.client.call(id, "snapshot", {});
  expect(await before.stop()).toBe(0);

  const after = await RunningServer.start({ state });
  expect((await after.client.results(id, call))[0]).toEqual({ ...first, replayed: true });
  expect((await after.client.post(`/sandboxes/${id}/turns/t/claim`, { epoch: 4 })).status).toBe(409);
  expect(
    (await after.client.post(`/sandboxes/${id}/turns/t/claim`, { epoch: 5, inputHash: "other" })).status,
  ).toBe(422);
  expect(
    (await after.client.post(`/sandboxes/${id}/turns/loser/claim`, { epoch: 1, resolves: "proposal:1:aa" }))
      .status,
  ).toBe(409);
  const edit = {
    files: [{ path: "a.txt", base: "v1", edits: [{ op: "insert_after", at: "1stu", lines: ["x"] }] }],
  };
  expect((await after.client.failure(id, "change", edit)).code).toBe("stale_file");
  const rows = await after.client.call(id, "read", { path: "a.txt" });
  expect(rows.value).toMatchObject({ version: "v2" });
  await after.client.call(id, "exec", { command: "rm a.txt" });
  expect(
    (await after.client.call(id, "restore", { snapshot: z.parse(SnapshotValue, snapshot.value).snapshot }))
      .ok,
  ).toBe(true);
  expect((await after.client.call(id, "read", { path: "a.txt" })).value).toMatchObject({
    version: "v2",
    total: 3,
  });
  await after.stop();
});
