// A session with a turn that the server no longer has in full, and one whose history differs on the server.
import { expect, test } from "vitest";
import { differenceIn, withoutTurns } from "../../../pwa/session/differing-history.ts";
import { nextInput } from "../../../pwa/session/next-input.ts";
import { HandrailError } from "../../../shared/errors.ts";
import type { DurableEvent, TurnEvent } from "../../../shared/event.ts";
import { messagesOf } from "../../../shared/session/history.ts";
import { endWithoutRest } from "../../../shared/session/not-kept.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { waitingFor } from "../../../shared/session/waiting.ts";

const started = (turnId: string): DurableEvent => ({
  id: 1,
  event: "turn.started",
  data: {
    turnId,
    mode: "normal",
    model: { provider: "p", id: "m" },
    toolProtocol: "native",
    format: 1,
  },
});
const said = (id: number, content: string): DurableEvent => ({
  id,
  event: "message",
  data: { message: { id: `${content}.m`, role: "user", content, createdAt: 1, mode: "normal" } },
});
const calls = (id: number): DurableEvent => ({
  id,
  event: "message",
  data: {
    message: {
      ...{ id: "a1", role: "assistant", content: "", createdAt: 2, mode: "normal", finish: "tool_calls" },
      toolCalls: [{ id: "c1", name: "run_command", arguments: "{}" }],
    } as never,
  },
});
const done = (id: number): DurableEvent => ({
  id,
  event: "turn.done",
  data: { reason: "stop", rounds: 1 },
});
const fold = (events: TurnEvent[]) => events.reduce(reduce, emptySession());

test("a turn whose rest is lost ends: open calls get results that say so, and queued messages follow", () => {
  const state = fold([started("t1"), said(2, "Look"), calls(3)]);
  const ended = endWithoutRest(state, "t1", [done(9)], 5);
  const last = messagesOf(ended.entries).at(-1);
  expect(last).toMatchObject({ role: "tool", toolCallId: "c1", ok: false });
  expect(last?.content).toContain("not kept");
  expect(ended.head.openCalls).toEqual([]);
  const waiting = waitingFor(ended);
  expect(waiting).toMatchObject({ kind: "failure", error: { code: "not_kept" } });
  expect(waiting.kind === "failure" && waiting.error.message).toContain(
    "no longer keeps 5 entries after what you see above, the result of one call among them",
  );
  const queued = { id: "q", text: "Then" };
  expect(nextInput(ended, [queued], 0)).toEqual({ type: "message", text: "Then" });
});

test("a turn of which nothing arrived ends too, and says that its message was returned", () => {
  const before = fold([started("t0"), said(2, "Before"), done(3)]);
  const ended = endWithoutRest(before, "t1", [], 5);
  const waiting = waitingFor(ended);
  expect(waiting.kind === "failure" && waiting.error.message).toContain("given back below");
  expect(ended.head.turn).toMatchObject({ id: "t1", status: "failed" });
  expect(ended.head.entryCount).toBe(before.head.entryCount + 1);
});

test("the newest plan that the server still has counts: the next turn is checked against it", () => {
  const plan = { version: 2, hash: "h", status: "proposed", steps: [], markdown: "" } as never;
  const ended = endWithoutRest(
    fold([started("t1")]),
    "t1",
    [{ id: 5, event: "plan", data: { plan } }, done(9)],
    5,
  );
  expect(ended.head.plan).toMatchObject({ version: 2 });
});

test("where the server's history counts, the turn is gone and everything else is unchanged", () => {
  const state = fold([started("t0"), said(2, "Before"), done(3), started("t1"), said(2, "Look"), calls(3)]);
  const without = withoutTurns(state.entries, state, new Set(["t1"]));
  expect(without.entries).toEqual(state.entries.slice(0, 3));
  expect(without.head).toMatchObject({ entryCount: 3, saidCount: 1, openCalls: [], turn: { id: "t0" } });
});

test("a difference that names no turn is about the current turn", () => {
  const error = new HandrailError("history_differs", "Differs.");
  expect(differenceIn(error, "t9")).toEqual({ turnId: "t9", lastId: 0, copied: false });
});
