// The request with which a turn was posted is stored beside its journal until the turn has ended, for the
// next runner.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";
import { codeOf } from "./sandbox-client.ts";
import { event, journaling } from "./turn-journal.ts";

let server: RunningServer;
let id: string;
beforeAll(async () => {
  server = await RunningServer.start({ state: await freshFolder("state") });
  id = (await server.client.create({ source: { sample: true } })).id;
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const { newTurn, record } = journaling(() => ({ client: server.client, id }));
const inputHash = "a".repeat(64);
const posted = gzipSync(JSON.stringify({ text: "ä".repeat(1_000) })).toString("base64");
const claim = (turnId: string, more: Record<string, unknown> = {}) =>
  server.client.post(`/sandboxes/${id}/turns/${turnId}/claim`, { epoch: 1, inputHash, posted, ...more });
const kept = (turnId: string) => server.client.get(`/sandboxes/${id}/turns/${turnId}/posted`);
const files = async () =>
  (await readdir(join(server.state, "sandboxes", id, "turns"))).filter((name) => name.endsWith(".posted"));
const idle = async () => (await server.client.get("/turns")).body;

test("the request can be fetched unchanged until the turn has ended, even if the server died meanwhile", async () => {
  const turnId = newTurn();
  await claim(turnId, { record: [event(1, "turn.started")] });
  expect((await kept(turnId)).body).toEqual({ epoch: 1, attended: false, posted });
  // A runner that has just claimed the turn is about to run it.
  expect(await idle()).toEqual({ turns: [] });
  await server.kill();
  server = await RunningServer.start({ state: server.state });
  // No request has opened the sandbox yet.
  expect(await idle()).toEqual({ turns: [{ sandboxId: id, turnId }] });
  await claim(turnId, { epoch: 2, posted: undefined });
  expect((await kept(turnId)).body).toEqual({ epoch: 2, attended: false, posted });
  await record(turnId, 2, [event(2, "turn.done", { reason: "stop", rounds: 1 })]);
  expect([(await kept(turnId)).status, await files(), await idle()]).toEqual([404, [], { turns: [] }]);
});

test("while somebody runs the turn it is on no list, and not returned to a request for idle turns", async () => {
  const turnId = newTurn();
  const runner = new AbortController();
  const attended = await server.client.fetch(`/sandboxes/${id}/turns/${turnId}/claim`, {
    method: "POST",
    body: JSON.stringify({ epoch: 1, inputHash, posted, attends: "stream" }),
    signal: runner.signal,
  });
  await attended.body?.getReader().read();
  const idleOnly = await server.client.get(`/sandboxes/${id}/turns/${turnId}/posted?idle=1`);
  expect(idleOnly.body).toEqual({ epoch: 1, attended: true });
  expect((await kept(turnId)).body).toEqual({ epoch: 1, attended: true, posted });
  expect(await idle()).toEqual({ turns: [] });
  runner.abort();
  await server.client.post(`/sandboxes/${id}/turns/${turnId}/stop`);
  await record(turnId, 1, [event(1, "turn.done", { reason: "stopped", rounds: 0 })]);
});

test("a refused claim stores nothing, nor does one that has ended in the same moment", async () => {
  const refused = newTurn();
  const answer = await claim(refused, { resolves: "nonsense" });
  expect([answer.status, codeOf(answer)]).toEqual([400, "invalid_request"]);
  await claim(newTurn(), { record: [event(1, "turn.done", { reason: "stop", rounds: 0 })] });
  expect(await files()).toEqual([]);
});

test("with the person's own model key nothing is stored, and the answer says why", async () => {
  const turnId = newTurn();
  await claim(turnId, { posted: null });
  const answer = await kept(turnId);
  expect([answer.status, codeOf(answer), JSON.stringify(answer.body)]).toEqual([
    404,
    "not_found",
    expect.stringContaining("own model key, which is never kept"),
  ]);
  expect(await files()).toEqual([]);
});

test("a request that is too large is not stored, and the turn runs all the same", async () => {
  const turnId = newTurn();
  const answer = await claim(turnId, { posted: Buffer.alloc(9 * 1024 * 1024 + 1).toString("base64") });
  expect([answer.status, (await kept(turnId)).status]).toEqual([200, 404]);
});
