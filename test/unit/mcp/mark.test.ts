// A mark is written to the journal before a call of an MCP server. A runner that did not write it, or lost
// the turn meanwhile, does not call.
import { expect, test } from "vitest";
import * as z from "zod/mini";
import type { ToolTurn } from "../../../functions/calls/tool-turn.ts";
import { nothingCarried } from "../../../functions/context/carried.ts";
import { TurnTools } from "../../../functions/mcp/turn-tools.ts";
import type { CallResult } from "../../../shared/sandbox.ts";
import { TurnRequest } from "../../../shared/turn.ts";

/** The outcome of a call whose mark is answered with `marked`, and whether the server was called. */
async function called(marked: Partial<CallResult>) {
  let asked = false;
  const tool = { name: "post", description: "", inputSchema: {}, use: "allowed" as const };
  const tools = await TurnTools.of([{ name: "fake", url: "https://fake.example/mcp", tools: [tool] }], {
    connect: () => {
      asked = true;
      throw new Error("asked");
    },
    whereIs: () => "https://fake.example/mcp",
    shownPlace: () => "https://fake.example/mcp",
    redactFor: () => (text) => text,
    hasMoved: async () => false,
    commandOf: () => undefined,
    version: "1",
    stop: new AbortController().signal,
    now: () => 1,
  });
  const request = z.parse(TurnRequest, {
    ...{ protocol: 1, turnId: "t", sandboxId: "s", mode: "normal", messages: [], plan: null },
    input: { type: "continue" },
  });
  const turn: ToolTurn = {
    env: {
      ...{ request, carried: nothingCarried, grants: [], isOlder: false, baseline: true },
      ...{ model: { id: "m", contextWindow: 32_000 } },
    },
    state: {
      ...{ history: [], toolProtocol: "native", mode: "normal" },
      ...{ ledger: null, run: null, plan: null },
    },
    emit: () => {
      throw new Error("nothing is emitted");
    },
    note: () => undefined,
    began: () => false,
    async *runCalls(calls) {
      return calls.map(({ key }) => ({ key, ok: true, replayed: false, at: 1, ms: 1, ...marked }));
    },
  };
  const prepared = tools.prepare(turn, {
    call: { id: "c", name: "mcp__fake__post", arguments: "{}" },
    key: "t/0/0",
    at: 1,
    permitted: false,
  });
  if (prepared.kind !== "runs" || prepared.finish.kind !== "later") throw new Error("it was not prepared");
  const running = prepared.finish.outcome([]);
  const outcome = await running.next().then(
    ({ value }) => value,
    (error: unknown) => error,
  );
  return { asked, outcome };
}

test("when the mark cannot be written nothing is sent: another runner has the turn", async () => {
  const { asked, outcome } = await called({ hold: true });
  expect(asked).toBe(false);
  expect(outcome).toMatchObject({ code: "stale_epoch" });
});

test("a mark that was already there means that the call may have run", async () => {
  const { asked, outcome } = await called({ replayed: true });
  expect(asked).toBe(false);
  expect(outcome).toMatchObject({ ok: false, facts: { code: "outcome_unknown" } });
});

test("the call follows its own mark", async () => {
  expect((await called({})).asked).toBe(true);
});
