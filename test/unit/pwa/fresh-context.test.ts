import { expect, test } from "vitest";
import { freshFigures, isHalfFull } from "../../../pwa/session/fresh-context.ts";
import type { Config } from "../../../shared/api.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { makePlan } from "../plan/plan-fixture.ts";

const models = [
  { id: "thinker", contextWindow: 200_000, price: { input: 10, output: 50, cached: 5 } },
  { id: "doer", contextWindow: 40_000, price: { input: 1, output: 5 } },
];
const config = { providers: [{ id: "p", label: "P", demo: false, models }] } as Partial<Config> as Config;
const [thinker, doer] = [
  { provider: "p", id: "thinker" },
  { provider: "p", id: "doer" },
];
const empty = emptySession("plan");
const state = {
  ...empty,
  head: { ...empty.head, model: thinker },
  live: { ...empty.live, context: { tokens: 30_000, budget: 160_000, trimmed: 0 } },
};

test("the saving of a fresh start is priced for the model that carries the plan out", () => {
  expect(freshFigures(state, makePlan(), config, doer)?.perToken).toBe(1 / 1e6);
  expect(freshFigures(state, makePlan(), config, thinker)?.perToken).toBe(5 / 1e6);
});

test("whether the context is half full depends on the window of the model that carries the plan out", () => {
  expect(isHalfFull(state, config, thinker)).toBe(false);
  expect(isHalfFull(state, config, doer)).toBe(true);
  // The server does not have this model, so the last count is used.
  expect(isHalfFull(state, config, { provider: "p", id: "gone" })).toBe(false);
});
