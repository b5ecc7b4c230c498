import { describe, expect, test } from "vitest";
import { abandons, installPlan, markdownPlan } from "../../../shared/plan/set-plan.ts";
import { planText } from "../../../shared/plan/written-plan.ts";
import { makePlan } from "./plan-fixture.ts";

function text(args: unknown) {
  const result = planText(args);
  if (!result.ok) throw new Error(result.problem);
  return result;
}

describe("installing a plan", () => {
  const next = (
    previous: ReturnType<typeof makePlan> | null,
    steps: unknown[] = ["Write the test", "Another", "Third", "Fourth"],
  ) => installPlan(previous, { ...text({ goal: "g", steps }), hash: "hash-2", source: "model" });

  test("the first is version 1 and supersedes nothing", () => {
    expect(makePlan()).toMatchObject({
      version: 1,
      supersedes: null,
      status: "draft",
      round: 0,
      decisions: [],
      deltas: [],
      hash: "hash-1",
    });
  });

  test("the next keeps rounds, decisions, and done steps with their note and snapshot; everything else starts over", () => {
    const decisions = [{ id: "q1", label: "DB", answer: "SQLite" }];
    const before = makePlan(
      { status: "executing", round: 2, decisions, deltas: [{ seq: 1, note: "n" }] },
      {
        s1: { status: "done", note: "green", snapshot: "snap1" },
        s2: { status: "active", snapshot: "snap2" },
        s3: { status: "failed" },
      },
    );
    const plan = next(before);
    expect(plan).toMatchObject({
      version: 2,
      supersedes: 1,
      status: "draft",
      round: 2,
      decisions,
      deltas: [],
      source: "model",
      hash: "hash-2",
    });
    expect(plan.steps.map(({ id, status, note, snapshot }) => [id, status, note, snapshot])).toEqual([
      ["s1", "done", "green", "snap1"],
      ["s2", "pending", undefined, undefined],
      ["s3", "pending", undefined, undefined],
      ["s4", "pending", undefined, undefined],
    ]);
  });

  test.each(["done", "abandoned"] as const)("a plan that is %s passes on its number only", (status) => {
    const before = makePlan(
      { status, round: 4, decisions: [{ id: "q1", label: "DB", answer: "x" }] },
      { s1: { status: "done" } },
    );
    const plan = next(before);
    expect(plan).toMatchObject({ version: 2, supersedes: 1, round: 0, decisions: [] });
    expect(plan.steps.every((step) => step.status === "pending")).toBe(true);
  });

  test("a manual edit gives a new step an id that no step had", () => {
    const edited = markdownPlan("# Goal\n\ng\n\n# Plan\n\n1. [s1] a\n2. new", ["s1", "s2", "s3"]);
    expect(edited).toMatchObject({ ok: true, body: { steps: [{ id: "s1" }, { id: "s4" }] } });
  });

  test("a done step is kept under its id where goal or text are the same, and by its text without an id", () => {
    const before = makePlan({ status: "executing" }, { s1: { status: "done" } });
    const statuses = (goal: string, steps: unknown[]) => {
      const made = planText({ goal, steps }, { plan: before, goal: "" });
      if (!made.ok) throw new Error(made.problem);
      return installPlan(before, { ...made, hash: "h", source: "model" }).steps.map(
        ({ id, status }) => `${id} ${status}`,
      );
    };
    expect(statuses("Add a login", [{ id: "s1", description: "Write two tests" }])).toEqual(["s1 done"]);
    expect(statuses("Other", [{ id: "s1", description: "Write the test" }])).toEqual(["s1 done"]);
    expect(statuses("Other", [{ id: "s1", description: "Dig" }])).toEqual(["s1 pending"]);
    expect(statuses("Add a login", ["Dig", "Write the test"])).toEqual(["s2 pending", "s1 done"]);
  });

  test("only an unfinished plan is abandoned, for another goal that keeps none of its steps", () => {
    const { body } = text({ goal: "Build a house", steps: ["Dig"] });
    const kept = text({ goal: "Build a house", steps: ["Write the test"] }).body;
    expect(abandons(makePlan({ status: "executing" }), body)).toBe(true);
    expect(abandons(makePlan({ status: "approved" }), body)).toBe(true);
    expect(abandons(makePlan({ status: "proposed" }), body)).toBe(false);
    expect(abandons(makePlan({ status: "executing" }), kept)).toBe(false);
    expect(abandons(makePlan({ status: "executing", goal: "Build a house" }), body)).toBe(false);
  });
});
