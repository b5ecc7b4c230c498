import { describe, expect, test } from "vitest";
import { planDifference, renderLedger } from "../../../shared/plan/ledger.ts";
import { installPlan } from "../../../shared/plan/set-plan.ts";
import { planText } from "../../../shared/plan/written-plan.ts";
import { makePlan } from "./plan-fixture.ts";

const reset = (args: object) => {
  const text = planText({ goal: "Add a login", rollback: ["git restore ."], ...args });
  if (!text.ok) throw new Error(text.problem);
  return installPlan(makePlan(), { ...text, hash: "hash-2", source: "model" });
};
const steps = [
  { id: "s1", description: "Write the test" },
  { id: "s2", description: "Write the route", checkpoint: "npm test" },
  { id: "s3", description: "Document it" },
];
const [first, second, third] = steps;

describe("the diff of two plans", () => {
  test("is empty for the same content, whatever the progress, the version or the open decisions", () => {
    const progressed = makePlan({ status: "executing", round: 2 }, { s1: { status: "done", note: "n" } });
    expect(planDifference(makePlan(), progressed)).toEqual(["No plan changes"]);
    expect(planDifference(makePlan(), reset({ steps, decisionPoints: ["Which?"] }))).toEqual([
      "No plan changes",
    ]);
    expect(planDifference(null, null)).toEqual(["No plan changes"]);
  });

  test("goes by id: an inserted step changes no other", () => {
    const after = reset({
      steps: [
        first,
        { id: "s4", description: "Ask for a review" },
        { ...second, description: "Write two routes" },
      ],
    });
    expect(planDifference(makePlan(), after)).toEqual([
      "Added Step 2: Ask for a review",
      "Step 3 changed: Write two routes",
      "Removed Step 3: Document it",
    ]);
  });

  test("names the other parts of a step that changed", () => {
    const after = reset({
      steps: [first, { ...second, checkpoint: "npm run e2e", onFail: "retry", actions: ["edit"] }, third],
    });
    expect(planDifference(makePlan(), after)).toEqual([
      "Step 2 changed: Write the route (actions, check, on fail)",
    ]);
  });

  test("says that steps were reordered", () => {
    expect(planDifference(makePlan(), reset({ steps: [third, first, second] }))).toEqual([
      "Order of the steps changed",
    ]);
  });

  test("says what changed besides the steps", () => {
    expect(
      planDifference(makePlan(), reset({ goal: "Add\nSSO", steps, checkpoints: ["x"], rollback: [] })),
    ).toEqual(["Goal changed: Add SSO", "Checkpoints changed", "Rollback changed"]);
    const text = (markdown: string) => reset({ markdown });
    expect(planDifference(text("Do it.\n\nSoon."), text("Do it.\n\nLater."))).toEqual(["Plan text changed"]);
  });

  test("counts the steps of a first plan, and lists those of a plan that is gone", () => {
    expect(planDifference(null, makePlan())).toEqual(["First version: 3 steps"]);
    expect(planDifference(makePlan(), null)).toHaveLength(3);
  });
});

test("the ledger reads like this", () => {
  const decisions = [
    { id: "db", label: "Database", answer: "SQLite" },
    { id: "name", label: "Name", answer: "Kim's\n  app" },
  ];
  expect(
    renderLedger(decisions, ["Step 2 changed: Write two routes", "Added Step 4: Ask"]),
  ).toMatchInlineSnapshot(`
    "Decisions
    - Database: SQLite
    - Name: Kim's app

    Plan updates
    - Step 2 changed: Write two routes
    - Added Step 4: Ask"
  `);
});
