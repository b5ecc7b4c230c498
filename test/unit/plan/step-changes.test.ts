// The differences between a rejected plan and the next one, step by step.
import { expect, test } from "vitest";
import { stepChanges } from "../../../pwa/transcript/step-changes.ts";
import type { Step } from "../../../shared/plan/plan-file.ts";

const step = (id: string, description: string, more: Partial<Step> = {}): Step => ({
  ...{ id, description, actions: [], preconditions: [], postconditions: [] },
  ...{ checkpoint: null, onFail: "ask", status: "pending" },
  ...more,
});

test("a step that was removed, added or changed is reported with its texts, and one that only moved is not", () => {
  const before = [step("s1", "Read"), step("s2", "Write"), step("s3", "Check")];
  const after = [step("s1", "Look first"), step("s2", "Check"), step("s3", "Read"), step("s4", "Ship")];
  expect(stepChanges(before, after)).toEqual([
    { kind: "removed", id: "s2", number: 2, before: "Write" },
    { kind: "added", id: "s1", number: 1, after: "Look first" },
    { kind: "added", id: "s4", number: 4, after: "Ship" },
  ]);
});

test("a step under the same id with a different text is changed", () => {
  expect(stepChanges([step("s1", "Write one")], [step("s1", "Write two")])).toEqual([
    { kind: "changed", id: "s1", number: 1, before: "Write one", after: "Write two" },
  ]);
});

test("a different check of the same step is a change, and both are reported", () => {
  const check = (command: string) => ({ checkpoint: { command } }) as Partial<Step>;
  expect(
    stepChanges([step("s1", "Write", check("npm test"))], [step("s1", "Write", check("npm run e2e"))]),
  ).toEqual([
    {
      ...{ kind: "changed", id: "s1", number: 1 },
      before: "Write\nCheck: `npm test`, if it fails: ask",
      after: "Write\nCheck: `npm run e2e`, if it fails: ask",
    },
  ]);
});

test("what a changed step does and is checked by as before is not repeated", () => {
  const same = { actions: ["one helper"], checkpoint: { command: "npm test" } };
  const before = [step("s1", "Fill the fields", { ...same, actions: ["one helper", "no types"] })];
  expect(stepChanges(before, [step("s1", "Pass the limit", same)])).toEqual([
    {
      ...{ kind: "changed", id: "s1", number: 1 },
      before: "Fill the fields\n– no types",
      after: "Pass the limit",
    },
  ]);
});

test("a step whose actions were only put in another order is shown whole, before and after", () => {
  const before = step("s1", "Write", { actions: ["a", "b"] });
  expect(stepChanges([before], [step("s1", "Write", { actions: ["b", "a"] })])).toEqual([
    { kind: "changed", id: "s1", number: 1, before: "Write\n– a\n– b", after: "Write\n– b\n– a" },
  ]);
});
