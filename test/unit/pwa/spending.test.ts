import { describe, expect, test } from "vitest";
import { newTurn } from "../../../pwa/session/new-turn.ts";
import {
  addCost,
  changeSpending,
  dayOf,
  leftToSpend,
  noSpending,
  noteAsked,
  readSpending,
  withCost,
} from "../../../pwa/session/spending.ts";
import { emptyDraft } from "../../../pwa/storage/draft.ts";
import { dollars, spentInWords } from "../../../pwa/words/model-words.ts";
import type { TurnEvent } from "../../../shared/event.ts";
import type { AssistantMessage } from "../../../shared/message.ts";
import { contextOf } from "../../../shared/session/context-figures.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { nothingSpent } from "../../../shared/session/spending.ts";
import { buildTurnRequest } from "../../../shared/session/turn-request.ts";
import { memoryKv } from "./memory-kv.ts";

const noon = new Date(2026, 10, 21, 12).getTime();
const capped = (session: number | null, day: number | null) => ({ caps: { session, day }, days: { a: 3 } });

describe("the remaining budget", () => {
  test.each([
    [null, null, undefined],
    [2, null, 1.5],
    [null, 5, 2],
    [2, 4, 1],
    [0.4, 10, 0],
  ])("with a session cap of %s and a day cap of %s", (session, day, left) => {
    expect(leftToSpend(capped(session, day), "a", 0.5)).toBe(left);
  });

  test("starts over on another day", () => {
    expect(leftToSpend(capped(null, 4), "b", 0)).toBe(4);
    expect(dayOf(noon)).toBe("2026-11-21");
  });

  test("is sent with the turn, the same in every attempt", () => {
    const turn = newTurn("t1", { type: "continue" }, emptySession(), emptyDraft, {
      spendLimit: 0.25,
    });
    const body = (attempt: number) =>
      buildTurnRequest({ ...turn, attempt, after: 0, sandboxId: "s", messages: [] }).options;
    expect([body(1), body(2)]).toEqual([{ spendLimit: 0.25 }, { spendLimit: 0.25 }]);
    expect(newTurn("t1", { type: "continue" }, emptySession(), emptyDraft)).not.toHaveProperty("spendLimit");
  });
});

test("a device knows which answers it has asked for itself", async () => {
  const kv = memoryKv();
  const asked = [];
  for (const answer of ["h1 m", "h2 m", "h1 m"]) asked.push(await noteAsked(kv, answer));
  expect(asked).toEqual([false, false, true]);
});

test("an answer that the server gives once more is counted once", async () => {
  const kv = memoryKv();
  for (const answer of ["h1 m 0.1", "h1 m 0.1", "h2 m 0.2", "h1 m 0.1"]) await addCost(kv, noon, 0.5, answer);
  await addCost(kv, noon, 0.5);
  await addCost(kv, noon, 0.5);
  expect((await readSpending(kv)).days).toEqual({ "2026-11-21": 2 });
});

test("costs are added up by day; a month of days is kept", async () => {
  const kv = memoryKv();
  for (let day = 10; day < 50; day += 1) await changeSpending(kv, (old) => withCost(old, `2026-${day}`, 1));
  const twice = await changeSpending(kv, (old) => withCost(old, "2026-49", 0.5));
  expect(twice.days["2026-49"]).toBe(1.5);
  expect(Object.keys(twice.days)).toHaveLength(31);
  expect(await readSpending(kv)).toEqual(twice);
  const cost = () => changeSpending(kv, (old) => withCost(old, "2026-49", 1));
  await Promise.all([cost(), cost(), cost()]);
  expect((await readSpending(kv)).days["2026-49"]).toBe(4.5);
  await kv.write([["spending", { days: "broken" }]]);
  expect(await readSpending(kv)).toEqual(noSpending);
});

describe("a session", () => {
  const answer = (id: string, more: Partial<AssistantMessage> = {}): AssistantMessage => ({
    id,
    role: "assistant",
    content: "said",
    createdAt: 1,
    mode: "normal",
    finish: "stop",
    ...more,
  });
  const events = (...messages: AssistantMessage[]): TurnEvent[] => [
    {
      event: "turn.started",
      id: 1,
      data: {
        turnId: "t",
        mode: "normal",
        model: { provider: "p", id: "m" },
        toolProtocol: "native",
        format: 1,
      },
    },
    ...messages.map((message, at): TurnEvent => ({ event: "message", id: at + 2, data: { message } })),
  ];
  const usage = { inputTokens: 1_200, outputTokens: 300, cachedTokens: 600, cost: 0.02 };

  test("counts an answer once, however often it is replayed", () => {
    const said = events(answer("a", { usage }), answer("b", { usage }), answer("c"));
    const { head } = [...said, ...said].reduce(reduce, emptySession());
    expect(head.spent).toEqual({ inputTokens: 2_400, outputTokens: 600, cachedTokens: 1_200, cost: 0.04 });
    expect(spentInWords(head.spent)).toBe("2k tokens in (50 % cached), 600 out, $0.04");
    expect(spentInWords(nothingSpent)).toBeUndefined();
  });

  test("knows what was trimmed when nothing is live", () => {
    const state = events(answer("a", { trimmed: 7 })).reduce(reduce, emptySession());
    const result = {
      id: "r",
      role: "tool",
      content: "ok",
      createdAt: 1,
      mode: "normal",
      toolCallId: "c",
      name: "read_file",
      ok: true,
      meta: { round: 1, maxRounds: 12, contextTokens: 50, budgetTokens: 100 },
    } as const;
    const after = reduce(state, { event: "message", id: 3, data: { message: result } });
    expect(contextOf(state)).toBeUndefined();
    expect(contextOf(after)).toEqual({ tokens: 50, budget: 100, trimmed: 7 });
  });
});

test.each([
  [0, "$0.00"],
  [0.123, "$0.12"],
  [0.00123, "$0.0012"],
])("%s is %s", (amount, words) => {
  expect(dollars(amount)).toBe(words);
});
