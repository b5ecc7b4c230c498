import { expect, test } from "vitest";
import * as z from "zod/mini";
import { FinishSummary, finishSummary, finishText } from "../../../shared/plan/finish-summary.ts";
import { makePlan } from "./plan-fixture.ts";

const plan = makePlan(
  { decisions: [{ id: "db", label: "Database", answer: "SQLite" }] },
  {
    s1: { status: "done", note: "3 tests", noteBy: "model" },
    s2: { status: "done", note: "its check ran by itself", noteBy: "engine" },
    s3: { status: "skipped" },
  },
);
const summary = finishSummary(plan, {
  checks: [
    { stepId: "s2", command: "npm test", exitCode: 1 },
    { stepId: "s2", command: "npm test", exitCode: 0 },
    { command: "npm run e2e", exitCode: null },
    { command: "npm run lint", exitCode: null, notRun: "the disk is\nfull" },
  ],
  files: [{ path: "src/login.ts", added: 40, removed: 2 }],
  rollbacks: ["s2", "s2", "s9"],
});

test("a finish summary reads like this", () => {
  expect(finishText(summary)).toBe(
    [
      "Finished: Add a login",
      "",
      "Steps: 3 of 3",
      "1. Write the test: done; the model's note: 3 tests",
      "2. Write the route: done; the engine's note: its check ran by itself",
      "3. Document it: skipped",
      "",
      "Checks: 1 of 3 passed, 1 could not be run",
      "- Step 2: passed",
      "- npm run e2e: ended by a signal",
      "- npm run lint: could not be run: the disk is full",
      "",
      "Earlier attempts, not counted",
      "- Step 2: exit 1",
      "",
      "Files: 1 changed",
      "- src/login.ts +40 -2",
      "",
      "Decisions",
      "- Database: SQLite",
      "",
      "Rolled back",
      "- Step 2",
    ].join("\n"),
  );
});

test("its data is a report of kind finish that a client can parse", () => {
  expect(summary.kind).toBe("finish");
  expect(z.parse(FinishSummary, JSON.parse(JSON.stringify(summary)))).toEqual(summary);
});

test("runs of steps that the plan no longer has are not counted for its own", () => {
  const text = finishText(
    finishSummary(makePlan({}, { s1: { status: "skipped" } }), {
      checks: [
        { stepId: "s1", description: "Dig a hole", command: "false", exitCode: 1 },
        { stepId: "s2", command: "npm test", exitCode: 0 },
        { stepId: "s9", command: "true", exitCode: 0 },
      ],
      files: [],
      rollbacks: [],
    }),
  );
  expect(text).toContain(
    [
      "Checks: 1 of 1 passed",
      "- Step 2: passed",
      "",
      "Earlier attempts, not counted",
      "- A step no longer in the plan (Dig a hole): exit 1",
      "- A step no longer in the plan (s9): passed",
    ].join("\n"),
  );
});

test("an attempt with a different check says so, and the goal is its first line", () => {
  const checks = [
    { stepId: "s1", command: "npm test", exitCode: 1 },
    { stepId: "s1", command: "npm test one", exitCode: 0 },
  ];
  const text = finishText(
    finishSummary(makePlan({ goal: "Add it\nand all the rest" }), { checks, files: [], rollbacks: [] }),
  );
  expect(text).toContain("not counted\n- Step 1, with another check: exit 1");
  expect(text.split("\n")[0]).toBe("Finished: Add it");
});

test("sections without entries are left out", () => {
  expect(finishText(finishSummary(makePlan({ steps: [] }), { checks: [], files: [], rollbacks: [] }))).toBe(
    "Finished: Add a login",
  );
});
