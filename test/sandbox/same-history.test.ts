// A client and a journal with different events: claims are refused until the person decides.
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SandboxJournal } from "../../sandbox/journal/sandbox-journal.ts";
import type { JournalEvent } from "../../shared/event.ts";
import { seenAfter } from "../../shared/seen-hash.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";
import { type Answer, codeOf, detailsOf } from "./sandbox-client.ts";
import { event, journaling } from "./turn-journal.ts";

let server: RunningServer;
let id: string;
beforeAll(async () => {
  server = await RunningServer.start();
  ({ id } = await server.client.create());
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const { newTurn, finishedTurn } = journaling(() => ({ client: server.client, id }));
const events = [event(1, "turn.started"), event(2, "message"), event(3, "message")];
const seenOf = (all: readonly JournalEvent[]) => all.reduce(seenAfter, "");
const claim = (turnId: string, body: object) =>
  server.client.post(`/sandboxes/${id}/turns/${turnId}/claim`, body);
const expectDiffers = (answer: Answer, details: object) =>
  expect([answer.status, codeOf(answer), detailsOf(answer)]).toEqual([409, "history_differs", details]);

async function begun(): Promise<string> {
  const turnId = newTurn();
  await server.client.claim(id, turnId, { epoch: 1, record: events });
  return turnId;
}

test("a client with events that the journal lacks or has differently is refused, and the runner continues", async () => {
  const turnId = await begun();
  const other = seenOf([event(1, "turn.started"), event(2, "other")]);
  expectDiffers(await claim(turnId, { epoch: 2, after: 4 }), { turnId, after: 4, lastId: 3 });
  expectDiffers(await claim(turnId, { epoch: 2, after: 2, seen: other }), { turnId, after: 2, lastId: 3 });
  expectDiffers(await claim("never", { epoch: 2, after: 1 }), { turnId: "never", after: 1, lastId: 0 });
  const turn = { id: turnId, epoch: 1, round: 1, record: [event(4, "message")] };
  expect(await server.client.lines(id, { turn, calls: [] })).toHaveLength(2);
  const same = { epoch: 2, after: 4, seen: seenOf([...events, event(4, "message")]) };
  expect((await server.client.claim(id, turnId, same)).records).toHaveLength(4);
});

test("a result's message is sent before it is recorded: a client may be ahead by that many events", async () => {
  const turnId = await begun();
  const turn = { id: turnId, epoch: 1, round: 1, record: [] };
  const call = { key: `${turnId}/1/0`, op: "read" as const, args: { path: "README.md" } };
  await server.client.results(id, { turn, calls: [call] });
  expectDiffers(await claim(turnId, { epoch: 2, after: 5 }), { turnId, after: 5, lastId: 3 });
  await server.client.claim(id, turnId, { epoch: 2, after: 4 });
});

test("a new turn from a client whose earlier turn differs or is unknown here is refused", async () => {
  const stored = await begun();
  const first = { epoch: 1, record: [event(1, "turn.started")] };
  const lost = { ...first, stored: { turnId: "lost", after: 7 } };
  expectDiffers(await claim("next", lost), { turnId: "lost", after: 7, lastId: 0 });
  const other = { ...first, stored: { turnId: stored, after: 1, seen: "0".repeat(16) } };
  expectDiffers(await claim("next", other), { turnId: stored, after: 1, lastId: 3 });
  await server.client.claim(id, "next", { ...lost, counts: "client" });
});

test("where the client's history counts, the turn ends after everything that either has, and no runner continues it", async () => {
  const turnId = await begun();
  const counts = await server.client.claim(id, turnId, { epoch: 2, after: 6, counts: "client" });
  expect(counts).toMatchObject({ finished: true });
  expect(counts.records.at(-1)).toMatchObject({
    id: 7,
    event: "turn.failed",
    data: { error: { code: "history_differs" } },
  });
  const turn = { id: turnId, epoch: 1, round: 1, record: [] };
  const call = { key: `${turnId}/1/0`, op: "exec" as const, args: { command: "echo x >> twice" } };
  const late = await server.client.post(`/sandboxes/${id}/calls`, { access: "write", turn, calls: [call] });
  expect(codeOf(late)).toBe("stale_epoch");
});

test("a difference that only the runner sees ends the turn too, above the events it made of its results", async () => {
  const turnId = await begun();
  const turn = { id: turnId, epoch: 1, round: 1, record: [] };
  const calls = ["0", "1"].map((ordinal) => ({
    key: `${turnId}/1/${ordinal}`,
    op: "read" as const,
    args: { path: "README.md" },
  }));
  await server.client.results(id, { turn, calls });
  const counts = { after: 4, counts: "client" };
  expect(await server.client.claim(id, turnId, { epoch: 2, ...counts })).toMatchObject({ finished: false });
  const ended = await server.client.claim(id, turnId, { epoch: 3, ...counts, differs: true });
  expect([ended.finished, ended.records.at(-1)?.id]).toEqual([true, 6]);
  const again = await server.client.claim(id, turnId, { epoch: 4, ...counts, differs: true });
  expect(again.records).toEqual(ended.records);
});

test("a plan that the client does not have is forgotten where its history counts, and only there", async () => {
  await finishedTurn(["plan", { plan: { version: 1, hash: "aa", status: "executing" } }]);
  expect(codeOf(await claim(newTurn(), { epoch: 1, plan: null }))).toBe("stale_plan");
  await server.client.claim(id, newTurn(), { epoch: 1, plan: null, counts: "client" });
  await server.client.claim(id, newTurn(), { epoch: 1, plan: null });
});

test("a journal that lost its last lines while its server was down says so, and runs nothing twice", async () => {
  const state = await freshFolder("state");
  const before = await RunningServer.start({ state });
  const { id: box } = await before.client.create();
  await before.client.claim(box, "t", { epoch: 1, record: events });
  const turn = { id: "t", epoch: 1, round: 1, record: [event(4, "message")] };
  const call = { key: "t/1/0", op: "exec" as const, args: { command: "echo x >> log" } };
  await before.client.results(box, { access: "write", turn, calls: [call] });
  await before.kill();
  const path = join(state, "sandboxes", box, "turns", "t.ndjson");
  const lines = (await readFile(path, "utf8")).split("\n");
  // These lines are the call, its result and the event before it. The incomplete line consists of zeros.
  await writeFile(path, `${lines.slice(0, 2).join("\n")}\n${"\0".repeat(300)}`);
  const after = await RunningServer.start({ state });
  const body = { epoch: 2, after: 5, seen: "0123456789abcdef" };
  const refused = await after.client.post(`/sandboxes/${box}/turns/t/claim`, body);
  expectDiffers(refused, { turnId: "t", after: 5, lastId: 3 });
  expect((await after.client.claim(box, "t", { epoch: 2, after: 3, seen: seenOf(events) })).finished).toBe(
    false,
  );
  await after.stop();
});

test("the result of a read is on disk before anything is made of it", async () => {
  const dir = await freshFolder("journal");
  const journal = await SandboxJournal.load(dir, { now: () => 1, warn: () => undefined });
  const turn = journal.turn("t");
  await journal.write(turn, [{ type: "claim", epoch: 1 }]);
  const handle = await open(join(dir, "turns", "t.ndjson"));
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const { datasync } = prototype;
  let synced = 0;
  prototype.datasync = async function () {
    await datasync.call(this);
    synced += 1;
  };
  try {
    const entry = journal.reserve({ key: "t/1/0", op: "read", argsHash: "", harmless: true }, turn, "read");
    if (entry.state.at !== "reserved") throw new Error("not reserved");
    await journal.started(entry, entry.state.run, {});
    await journal.ended(entry, { ok: true, value: {}, ms: 1 });
    expect(synced).toBeGreaterThan(0);
  } finally {
    prototype.datasync = datasync;
  }
});
