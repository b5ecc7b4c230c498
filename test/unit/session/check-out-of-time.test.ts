import { expect, test } from "vitest";
import type { TurnEvent } from "../../../shared/event.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { dropLive, emptySession } from "../../../shared/session/session-state.ts";
import { assistant, numbered, started, toolResult } from "./events.ts";

test("a check that ran out of time stays with its output until the message of its call, also after a reconnection", () => {
  const check = { command: "npm test", limitMs: 1_000 };
  const state = numbered([
    started("t1"),
    assistant("a1", "", [["c1", "update_plan", {}]]),
    { event: "tool.started", data: { toolCallId: "c1", at: 1, check } },
    { event: "tool.output", data: { toolCallId: "c1", stream: "stdout", offset: 0, text: "x" } },
    { event: "tool.ended", data: { toolCallId: "c1", outOfTime: true } },
  ]).reduce(reduce, emptySession());
  for (const { live } of [state, dropLive(state)])
    expect(live).toMatchObject({
      started: { c1: { check, outOfTime: true } },
      output: { c1: { text: "x" } },
    });
  const [result] = numbered([toolResult("c1", "update_plan")]);
  const told = reduce(state, { ...result, id: 3 } as TurnEvent);
  expect(told.live).toMatchObject({ started: {}, output: {} });
});
