// Steps that are nothing but their check: the engine runs those by itself, and never one that has work in it.
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
  ["Run the migration", "npm run migration -- --status"],
  ["Run the formatter", "git diff --exit-code"],
  ["Write the tests", "npm test"],
  ["Verify the tests and mend what fails", "npm test"],
  ["Check in the changes", "git status"],
  ["Test", "npm test"],
])("%s is work of the model", (description, command) => {
  expect(isOnlyCheck(step(description, command))).toBe(false);
});

test("an action beside it is work, and a step without a check has none to run", () => {
  expect(isOnlyCheck(step("Run the tests", "npm test", ["Update the snapshots"]))).toBe(false);
  expect(isOnlyCheck(makeStep({ description: "Run the tests" }))).toBe(false);
});
