// After a state folder was copied while a turn ran, the turn does not continue before a person has decided.
// @module-tag long
import { cp, rename, rm } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";
import { codeOf, detailsOf } from "./sandbox-client.ts";
import { event } from "./turn-journal.ts";

let state: string;
let server: RunningServer;
beforeEach(async () => {
  state = await freshFolder("state");
  server = await RunningServer.start({ state });
  await server.client.create({ id, source: { sample: true } });
});
afterEach(async () => {
  await server.stop();
});
afterAll(removeFolders);

const id = "box";
const turnId = "turn";
const base = `/sandboxes/${id}/turns/${turnId}`;
const begun = [event(1, "turn.started"), event(2, "message")];
const claim = (body: object) => server.client.post(`${base}/claim`, body);
const idle = async () => (await server.client.get("/turns")).body;
const waiting = { turns: [{ sandboxId: id, turnId }] };
const command = (epoch: number) => ({
  access: "write" as const,
  turn: { id: turnId, epoch, round: 0, record: [] },
  calls: [{ key: `${turnId}/1/0`, op: "exec" as const, args: { command: "echo ran >> effects.txt" } }],
});
const effects = () => server.client.call(id, "read", { path: "effects.txt" });

const post = () =>
  claim({
    ...{ epoch: 1, record: begun, inputHash: "a".repeat(64) },
    posted: gzipSync(JSON.stringify({ text: "Do it" })).toString("base64"),
  });

/** Runs `work` while the server is down. */
async function meanwhile(work: () => Promise<void>): Promise<void> {
  await server.kill();
  await work();
  server = await RunningServer.start({ state });
}

/** After this, every journal is a different file, even if the disk gives it the same inode number. */
async function restore(): Promise<void> {
  await cp(state, `${state}-copy`, { recursive: true, preserveTimestamps: true });
  await rm(state, { recursive: true });
  await cp(`${state}-copy`, state, { recursive: true, preserveTimestamps: true });
}

test("a restart on the same folder resumes by itself, even if the folder was renamed", async () => {
  await post();
  await meanwhile(async () => undefined);
  expect(await idle()).toEqual(waiting);
  await meanwhile(async () => {
    await rename(state, `${state}-moved`);
    state = `${state}-moved`;
  });
  expect(await idle()).toEqual(waiting);
  expect((await claim({ epoch: 2 })).status).toBe(200);
});

test("nobody runs a turn whose journal is a copy: no unattended runner, no earlier runner, no client", async () => {
  await post();
  await meanwhile(restore);
  expect(await idle()).toEqual({ turns: [] });
  const answers = [
    await server.client.get(`${base}/posted?idle=1`),
    await server.client.post(`/sandboxes/${id}/calls`, command(1)),
    await claim({ epoch: 2, after: 2 }),
  ];
  expect(answers.map((answer) => [answer.status, codeOf(answer), detailsOf(answer)])).toEqual(
    [0, 0, 2].map((after) => [409, "history_differs", { turnId, after, lastId: 2, copied: true }]),
  );
  expect((await effects()).ok).toBe(false);
  // Another start does not change this.
  await meanwhile(async () => undefined);
  expect(await idle()).toEqual({ turns: [] });
});

test("where the server's history counts the turn continues, and later by itself again", async () => {
  await post();
  await meanwhile(restore);
  expect((await claim({ epoch: 2, counts: "server" })).body).toMatchObject({ finished: false });
  await server.client.results(id, command(2));
  expect((await effects()).ok).toBe(true);
  await meanwhile(async () => undefined);
  expect(await idle()).toEqual(waiting);
});

test("where the client's counts the turn ends, and so does one that is stopped", async () => {
  await post();
  await meanwhile(restore);
  const ended = await claim({ epoch: 2, after: 2, counts: "client" });
  expect(ended.body).toMatchObject({ finished: true });
  expect(JSON.stringify(ended.body)).toContain("history_differs");
  await server.client.claim(id, "next", { epoch: 1, record: begun });
  await meanwhile(restore);
  await server.client.post(`/sandboxes/${id}/turns/next/stop`);
  const record = [event(3, "turn.done", { reason: "stopped", rounds: 0 })];
  const turn = { id: "next", epoch: 1, round: 0, record };
  expect((await server.client.post(`/sandboxes/${id}/calls`, { turn, calls: [] })).status).toBe(200);
});

test("turns that had ended when the copy was made can still be read, and new ones run", async () => {
  await claim({ epoch: 1, record: [...begun, event(3, "turn.done", { reason: "stop", rounds: 1 })] });
  await meanwhile(restore);
  expect((await claim({ epoch: 2, after: 2 })).body).toMatchObject({ finished: true });
  const stored = { turnId, after: 3 };
  expect((await server.client.claim(id, "next", { epoch: 1, record: begun, stored })).finished).toBe(false);
});
