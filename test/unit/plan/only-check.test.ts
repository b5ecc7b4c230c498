// A step that consists only of its check is run by the engine itself; a step that contains work never is.
import { expect, test } from "vitest";
import { isOnlyCheck } from "../../../shared/plan/only-check.ts";
import type { Step } from "../../../shared/plan/plan-file.ts";
import { makePlan } from "./plan-fixture.ts";

function makeStep(patch: Partial<Step>): Step {
  const [first] = makePlan().steps;
  if (!first) throw new Error("no step");
  return { ...first, ...patch };
}

const step = (description: string, command: string, actions: string[] = []) =>
  makeStep({ description, actions, checkpoint: { command } });

test.each([
  ["Run the whole test suite", "npm test"],
  ["Run `npx ava test/retry.ts`", "npx ava test/retry.ts"],
  ["Verify that everything still builds and all tests pass", "npm run build && npm test"],
  ["Make sure the type check is green", "npx tsc --noEmit"],
])("%s", (description, command) => {
  expect(isOnlyCheck(step(description, command))).toBe(true);
  expect(isOnlyCheck(step(description, command, [`Run ${command}`]))).toBe(true);
});

test.each([
  ["Run the retry suite", "npx ava test/retry.ts"],
  ["Verify lint and the retry tests", "npx xo test/retry.ts && npx ava test/retry.ts"],
])("%s, as the check names it", (description, command) => {
  expect(isOnlyCheck(step(description, command))).toBe(true);
});

test.each([
  ["Final verification", "npm run lint && npm test", ["Run `npm run lint`", "Run `npm test`"]],
  ["Quality gates", "npx tsc --noEmit; npm test", ["npx tsc --noEmit", "npm test"]],
  ["Test", "npm test", ["`npm test`"]],
])("%s, where every action is the check or a part of it", (description, command, actions) => {
  expect(isOnlyCheck(step(description, command, actions))).toBe(true);
  expect(isOnlyCheck(step(description, command, [...actions, "Mend what fails"]))).toBe(false);
  expect(isOnlyCheck(step(description, command))).toBe(false);
});

test.each([
  ["Run the migration", "npm run migration -- --status"],
  ["Run the formatter", "git diff --exit-code"],
  ["Write the tests", "npm test"],
  ["Verify the tests and mend what fails", "npm test"],
  ["Check in the changes", "git status"],
  ["Run the test generator", "node generator.js --check"],
  ["Test", "npm test"],
])("%s is work for the model", (description, command) => {
  expect(isOnlyCheck(step(description, command))).toBe(false);
});

test("work whose only action is its check belongs to the model", () => {
  expect(isOnlyCheck(step("Write the tests", "npm test", ["Run `npm test`"]))).toBe(false);
  expect(isOnlyCheck(step("Retry limits", "npx ava test/retry.ts", ["npx ava test/retry.ts"]))).toBe(false);
});

test("an action beside it is work, and a step without a check has none to run", () => {
  expect(isOnlyCheck(step("Run the tests", "npm test", ["Update the snapshots"]))).toBe(false);
  expect(isOnlyCheck(makeStep({ description: "Run the tests" }))).toBe(false);
});
