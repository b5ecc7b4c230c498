import { expect, test } from "vitest";
import * as z from "zod/mini";
import { FinishSummary, finishSummary, finishText } from "../../../shared/plan/finish-summary.ts";
import { makePlan } from "./plan-fixture.ts";

const plan = makePlan(
  { decisions: [{ id: "db", label: "Database", answer: "SQLite" }] },
  {
    s1: { status: "done", note: "3 tests" },
    s2: { status: "done", note: "GET /login" },
    s3: { status: "skipped" },
  },
);
const summary = finishSummary(plan, {
  checks: [
    { stepId: "s2", command: "npm test", exitCode: 1 },
    { stepId: "s2", command: "npm test", exitCode: 0 },
    { command: "npm run e2e", exitCode: null },
  ],
  files: [{ path: "src/login.ts", added: 40, removed: 2 }],
  rollbacks: ["s2"],
});

test("a finish summary reads like this", () => {
  expect(finishText(summary)).toBe(
    [
      "Finished: Add a login",
      "",
      "Steps: 3 of 3",
      "1. Write the test: done; the model's note: 3 tests",
      "2. Write the route: done; the model's note: GET /login",
      "3. Document it: skipped",
      "",
      "Checks: 1 of 2 passed",
      "- Step 2: passed",
      "- npm run e2e: ended by a signal",
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

test("sections without entries are left out", () => {
  expect(finishText(finishSummary(makePlan({ steps: [] }), { checks: [], files: [], rollbacks: [] }))).toBe(
    "Finished: Add a login",
  );
});
