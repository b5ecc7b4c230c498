// Tests that control the server: calls that wait for a file, readers that leave, and a new server on the same
// state folder.
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import type { CallsRequestInput } from "../../shared/sandbox.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import { freshFolder, RunningServer, removeFolders, token, until } from "./running-server.ts";
import type { SandboxClient } from "./sandbox-client.ts";

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

test("a follower of a running call gets its output from the beginning", async () => {
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

test("a client that closes its half of the connection may lose the answer, not the call and its result", async () => {
  const { id } = await client.create();
  const call = { key: "half", op: "exec", args: { command: "echo early; sleep 0.3; echo late" } } as const;
  const body = JSON.stringify({ access: "write", calls: [call] });
  const head = `POST /v1/sandboxes/${id}/calls HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n`;
  const { port } = new URL(server.url);
  const socket = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true });
  socket.end(head + body);
  for await (const chunk of socket) expect(String(chunk)).not.toContain("HTTP/1.1 5");
  const [result] = await client.results(id, { access: "write", calls: [call] });
  expect(result).toMatchObject({ ok: true, replayed: true, value: { stdout: "early\nlate\n" } });
});

test("calls that wait when a higher epoch claims get stale_epoch, the running one its result", async () => {
  const { id } = await client.create();
  const turnId = "fenced";
  await client.claim(id, turnId, { epoch: 1 });
  const calls = client.results(id, {
    access: "write",
    turn: { id: turnId, epoch: 1, round: 1, record: [] },
    calls: [
      {
        key: `${turnId}/1/0`,
        op: "exec",
        args: { command: "touch running; until [ -e go ]; do sleep 0.02; done; echo done" },
      },
      { key: `${turnId}/1/1`, op: "exec", args: { command: "touch second" } },
    ],
  });
  await until(async () => (await client.call(id, "read", { path: "running" })).ok);
  await client.claim(id, turnId, { epoch: 2 });
  await writeFile(join(server.state, "sandboxes", id, "workspace", "go"), "");
  const [first, second] = await calls;
  expect([first?.ok, second?.ok, second?.error?.code]).toEqual([true, false, "stale_epoch"]);
  expect((await client.claim(id, turnId, { epoch: 3 })).results.map(({ key }) => key)).toEqual([
    `${turnId}/1/0`,
  ]);
});

test("fifty concurrent requests after a kill: finished calls have results, interrupted ones are unknown, nothing runs again", async () => {
  const state = await freshFolder("state");
  const before = await RunningServer.start({ state });
  const { id } = await before.client.create({ source: { sample: true } });
  const doneCall: CallsRequestInput = { access: "write", calls: [{ key: "done", ...counting }] };
  const [first] = await before.client.results(id, doneCall);
  const command = "echo run >> runs.txt; touch begun; sleep 600";
  const running: CallsRequestInput = {
    access: "write",
    calls: [{ key: "r", op: "exec", args: { command } }],
  };
  const cut = before.client.results(id, running).catch(() => "cut");
  await until(async () => (await before.client.call(id, "read", { path: "begun" })).ok);
  await before.kill();
  expect(await cut).toBe("cut");

  const after = await RunningServer.start({ state });
  // The first requests after the start all load the journal at the same time.
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => after.client.results(id, index % 2 === 0 ? doneCall : running)),
  );
  for (const [index, [result]] of answers.entries()) {
    if (index % 2 === 0) expect(result).toEqual({ ...first, replayed: true });
    else expect(result).toEqual({ ...answers[1]?.[0], replayed: true });
  }
  expect(answers[1]?.[0]?.error?.code).toBe("outcome_unknown");
  expect((await after.client.call(id, "read", { path: "runs.txt" })).value).toMatchObject({ total: 2 });
  await after.stop();
});

test("results, turns, versions and snapshots survive a restart", async () => {
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
