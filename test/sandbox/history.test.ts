// The session list, which reads no journals, and the history: every event of every turn as it was journaled,
// even if all clients have it, after restarts and compaction.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import * as z from "zod/mini";
import * as limits from "../../sandbox/limits.ts";
import { type RunningServer, startServer } from "../../sandbox/server.ts";
import { HistoryPart, SessionRows } from "../../shared/history.ts";
import { freshFolder, ownOptions, removeFolders, token } from "./running-server.ts";
import { codeOf, detailsOf, SandboxClient } from "./sandbox-client.ts";

let clock = Date.UTC(2026, 0, 20);
let state: string;
let server: RunningServer;
let client: SandboxClient;

async function start(): Promise<void> {
  server = await startServer({ ...ownOptions, state }, () => clock++);
  client = new SandboxClient(`http://127.0.0.1:${server.port}`, token);
}

const restart = async () => {
  await server.close();
  await start();
};

beforeAll(async () => {
  state = await freshFolder("state");
  await start();
});
afterEach(() => {
  clock += 1_000;
});
afterAll(async () => {
  await server.close();
  await removeFolders();
});

const numbered = (drafts: readonly { event: string; data: unknown }[]) =>
  drafts.map((draft, index) => ({ id: index + 1, ...draft }));
const started = (turnId: string, mode = "normal") => ({
  event: "turn.started",
  data: { turnId, mode, model: { provider: "p", id: "m" }, toolProtocol: "native", format: 1 },
});
const said = (content: string, role = "user") => ({
  event: "message",
  data: { message: { id: `m-${content.slice(0, 8)}`, role, content, mode: "normal", createdAt: 1 } },
});
const done = (reason = "stop") => ({ event: "turn.done", data: { reason, rounds: 1 } });

async function run(
  id: string,
  turnId: string,
  drafts: readonly { event: string; data: unknown }[],
  claim = {},
) {
  const record = numbered(drafts);
  await client.claim(id, turnId, { epoch: 1, client: "phone", ...claim, record });
  return record.map((event) => ({ ...event, turnId }));
}

async function part(id: string, query = ""): Promise<z.infer<typeof HistoryPart>> {
  const { status, body } = await client.get(`/sandboxes/${id}/history${query}`);
  expect(status).toBe(200);
  return z.parse(HistoryPart, body);
}

const placeIn = ({
  last,
}: {
  last?: { turnId: string; after: number; seen?: string | undefined } | undefined;
}) => `?turn=${last?.turnId}&after=${last?.after}&seen=${last?.seen}`;

const list = async (query = "") => z.parse(SessionRows, (await client.get(`/sandboxes${query}`)).body);

test("a history is every event in the order of the turns, and continues from a position within one", async () => {
  const { id } = await client.create();
  expect(await part(id)).toMatchObject({ events: [], more: false, stage: "new" });
  const first = await run(id, "b-first", [started("b-first"), said("Fix the login"), done()]);
  const second = await run(id, "a-second", [started("a-second"), said("And the logout"), done()]);
  const whole = await part(id);
  expect(whole.events).toEqual([...first, ...second]);
  expect(whole.last).toMatchObject({ turnId: "a-second", after: 3 });
  expect((await part(id, "?turn=b-first&after=1")).events).toEqual([...first.slice(1), ...second]);
  expect((await part(id, placeIn(whole))).events).toEqual([]);
});

test("it comes in parts of bounded size, none of which is left out or repeated", async () => {
  const { id } = await client.create();
  const long = "x".repeat(limits.historyChars / 3);
  const expected: unknown[] = [];
  for (const turnId of ["t1", "t2", "t3"])
    expected.push(...(await run(id, turnId, [started(turnId), said(`1${long}`), said(`2${long}`), done()])));
  const events: unknown[] = [];
  let answers = 0;
  for (let next = ""; ; answers += 1) {
    const read = await part(id, next);
    events.push(...read.events);
    next = placeIn(read);
    if (!read.more) break;
  }
  expect(events).toEqual(expected);
  expect(answers).toBeGreaterThan(0);
});

test("a position that the journals do not have, or have differently, is refused", async () => {
  const { id } = await client.create();
  await run(id, "t1", [started("t1"), said("Hello"), done()]);
  for (const query of ["?turn=other&after=0", "?turn=t1&after=9", "?turn=t1&after=2&seen=0123456789abcdef"]) {
    const answer = await client.get(`/sandboxes/${id}/history${query}`);
    expect(codeOf(answer), query).toBe("history_differs");
  }
  expect((await client.get("/sandboxes/never/history")).status).toBe(404);
});

test("compacted turns are still whole, byte for byte, after a restart too", async () => {
  const { id } = await client.create();
  const expected = await run(id, "old", [
    started("old", "plan"),
    said("What was asked first"),
    said("ünïcode \u2028 and\n lines", "assistant"),
    done(),
  ]);
  for (let n = 0; n <= limits.wholeTurns; n += 1) {
    const turnId = `later-${n}`;
    const stored = { turnId: n === 0 ? "old" : `later-${n - 1}`, after: n === 0 ? 4 : 3 };
    expected.push(...(await run(id, turnId, [started(turnId), said(`more ${n}`), done()], { stored })));
  }
  const before = await part(id);
  await client.get(`/sandboxes/${id}`);
  expect((await client.journal(id, "old"))[0]).toMatchObject({ type: "compacted" });
  expect((await part(id)).events).toEqual(expected);
  await restart();
  const after = await part(id);
  expect(JSON.stringify(after.events)).toBe(JSON.stringify(before.events));
  expect(after.said).toBe("What was asked first");
  // Events that an earlier version did not keep are missing, and the ids show the gap.
  await rm(join(state, "sandboxes", id, "turns", "old.ndjson.events"));
  const lost = (await part(id)).events.filter(({ turnId }) => turnId === "old");
  expect(lost.map(({ id: at }) => at)).toEqual([1, 4]);
});

test("it says what is current and what waits: mode, plan, questions, permissions, until they are answered", async () => {
  const { id } = await client.create();
  const plan = {
    event: "plan",
    data: { plan: { version: 1, hash: "aa", status: "draft", goal: "Sign in" } },
  };
  const step = { event: "step", data: { stepId: "s1", status: "active" } };
  const questions = { event: "questions", data: { toolCallId: "ask-1", round: 1, questions: [] } };
  const asks = (toolCallId: string) => ({
    event: "permission",
    data: { toolCallId, name: "run_command", arguments: "{}", risk: "remote", why: "it pushes" },
  });
  const names = async () => (await part(id)).now.map(({ event }) => event);
  await run(id, "t1", [started("t1", "plan"), plan, step, questions, done("questions")]);
  expect(await names()).toEqual(["turn.started", "plan", "step", "questions", "turn.done"]);
  expect(await part(id)).toMatchObject({ mode: "plan", stage: "questions", goal: "Sign in" });
  const switched = { event: "mode", data: { from: "plan", to: "auto", reason: "r" } };
  const second = [started("t2", "plan"), switched, asks("p1"), asks("p2"), done("permission")];
  await run(id, "t2", second, { resolves: "call:ask-1" });
  expect(await names()).toEqual([
    "plan",
    "step",
    "turn.started",
    "mode",
    "permission",
    "permission",
    "turn.done",
  ]);
  expect(await part(id)).toMatchObject({ mode: "auto", stage: "permission" });
  const result = { role: "tool", toolCallId: "p1", content: "ok" };
  await run(id, "t3", [started("t3", "auto"), { event: "message", data: { message: result } }], {
    resolves: "call:p1",
  });
  await restart();
  const { now, stage } = await part(id);
  expect(now.filter(({ event }) => event === "permission").map(({ data }) => data)).toEqual([
    asks("p2").data,
  ]);
  expect(stage).toBe("running");
});

test("a reader waiting at the end of a history gets the next record at once, and the deletion", async () => {
  const { id } = await client.create();
  await run(id, "t1", [started("t1"), said("Hello"), done()]);
  // A timer of Node would end at once for a time longer than it can count.
  const waiting = part(id, `${placeIn(await part(id))}&waitMs=${"9".repeat(15)}`);
  const second = await run(id, "t2", [started("t2"), said("Again")]);
  expect((await waiting).events).toEqual(second);
  const last = client.get(`/sandboxes/${id}/history${placeIn(await part(id))}&waitMs=25000`);
  await client.fetch(`/sandboxes/${id}`, { method: "DELETE" });
  expect((await last).status).toBe(404);
});

test("the list has title, stage and mode of sessions that are not in use, most recent first, in parts", async () => {
  const fresh = await client.create();
  const { id } = await client.create();
  await run(id, "t1", [started("t1", "plan"), said("Name the list"), done("questions")]);
  await restart();
  await writeFile(join(state, "sandboxes", id, "turns", "t1.ndjson"), "");
  const { rows } = await list();
  expect(rows[0]).toMatchObject({ id, said: "Name the list", mode: "plan", stage: "questions" });
  expect(rows.find((row) => row.id === fresh.id)).toMatchObject({ said: "", stage: "new" });
  const times = rows.map(({ createdAt, updatedAt }) => Math.max(createdAt, updatedAt));
  expect(times).toEqual([...times].sort((a, b) => b - a));
  const second = rows[1];
  const after = `${String(times[1]).padStart(15, "0")}.${second?.id}`;
  expect((await list(`?after=${after}`)).rows).toEqual(rows.slice(2));
});

test("a session of an earlier version, without a row of its own, is listed from its journals", async () => {
  const { id } = await client.create();
  await run(id, "t1", [started("t1"), said("From before"), done("stopped")]);
  const row = join(state, "sandboxes", id, "session.json");
  const kept = await readFile(row, "utf8");
  await server.close();
  await rm(row);
  await start();
  expect((await list()).rows.find((one) => one.id === id)).toMatchObject({
    said: "From before",
    stage: "stopped",
  });
  expect(await readFile(row, "utf8")).toBe(kept);
});

test("a new turn from a client without the newest turn is refused if it replaces that turn", async () => {
  const { id } = await client.create();
  await run(id, "t1", [started("t1"), said("From the phone"), done()]);
  await run(id, "t2", [started("t2"), said("From the laptop")], { client: "laptop" });
  const claim = (stored: object, turnId = "t3") =>
    client.post(`/sandboxes/${id}/turns/${turnId}/claim`, { epoch: 1, client: "phone", stored });
  const behind = await claim({ turnId: "t1", after: 3, newest: true });
  expect([codeOf(behind), detailsOf(behind)]).toEqual(["history_differs", { newer: "t2" }]);
  // The client has that turn, but the turn continues.
  expect(codeOf(await claim({ turnId: "t2", after: 2, newest: true }))).toBe("history_differs");
  await client.results(id, {
    turn: { id: "t2", epoch: 1, round: 1, record: [{ id: 3, ...done() }] },
    calls: [],
  });
  expect(codeOf(await claim({ turnId: "t2", after: 2, newest: true }))).toBe("history_differs");
  expect((await claim({ turnId: "t2", after: 3, newest: true })).status).toBe(200);
  // The check applies only to clients that ask for it.
  expect((await claim({ turnId: "t1", after: 3 }, "t4")).status).toBe(200);
});
