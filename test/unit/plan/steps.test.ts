import { describe, expect, test } from "vitest";
import type { StepStatus } from "../../../shared/plan/plan-file.ts";
import {
  activeStep,
  countSteps,
  findStep,
  isFinished,
  nextPending,
  progressWords,
  reopenFrom,
  stepNumber,
  withStep,
} from "../../../shared/plan/steps.ts";
import { makePlan } from "./plan-fixture.ts";

const withStatuses = (...statuses: StepStatus[]) =>
  makePlan(
    {},
    Object.fromEntries(
      statuses.map((status, index) => [`s${index + 1}`, { status, note: "n", snapshot: `snap${index + 1}` }]),
    ),
  );

test("the active step, the next one, and numbers by id", () => {
  const plan = withStatuses("done", "active", "pending");
  expect(activeStep(plan)?.id).toBe("s2");
  expect(nextPending(plan)?.id).toBe("s3");
  expect(findStep(plan, "s3")?.description).toBe("Document it");
  expect([stepNumber(plan, "s3"), stepNumber(plan, "x")]).toEqual([3, 0]);
  expect(progressWords(plan)).toBe("1 of 3");
  expect(countSteps(plan, "pending")).toBe(1);
});

describe("a plan is finished", () => {
  test.each<[StepStatus[], boolean]>([
    [["done", "skipped", "done"], true],
    [["done", "done", "failed"], false],
    [["done", "done", "active"], false],
    [["done", "done", "pending"], false],
  ])("with %j: %s", (statuses, finished) => {
    expect(isFinished(withStatuses(...statuses))).toBe(finished);
  });

  test("never without steps", () => {
    expect(isFinished(makePlan({ steps: [] }))).toBe(false);
  });
});

test("a step is changed alone, and undefined removes a field", () => {
  const plan = withStatuses("done", "active", "pending");
  const changed = withStep(plan, "s2", { status: "failed", snapshot: undefined });
  expect(changed.steps[1]).toMatchObject({ status: "failed", note: "n" });
  expect(changed.steps[1]).not.toHaveProperty("snapshot");
  expect([changed.steps[0], changed.steps[2]]).toEqual([plan.steps[0], plan.steps[2]]);
  expect(withStep(plan, "nobody", { status: "done" })).toEqual(plan);
});

test("reopening a step reopens the later ones", () => {
  const plan = reopenFrom(withStatuses("done", "done", "failed"), "s2");
  expect(plan.steps.map(({ status, snapshot }) => [status, snapshot])).toEqual([
    ["done", "snap1"],
    ["pending", undefined],
    ["pending", undefined],
  ]);
});
