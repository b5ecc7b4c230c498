// A plan's text as a person edited it.
import { expect, test } from "vitest";
import { editedPlan } from "../../../shared/plan/edited-plan.ts";
import { makePlan } from "./plan-fixture.ts";

test("in a form of their own it has its steps and checks, and those that were there keep their ids", () => {
  const plan = makePlan();
  const first = plan.steps[0];
  const read = editedPlan(
    `What I want:\n\n- [ ] ${first?.description}\n- [ ] Rest\n  - Check: \`test -d .\`\n`,
    plan,
  );
  expect(read.ok && read.body.steps.map(({ description }) => description)).toEqual([
    first?.description,
    "Rest",
  ]);
  expect(read.ok && read.body.steps[0]?.id).toBe(first?.id);
  expect(read.ok && read.body.steps[1]?.checkpoint).toEqual({ command: "test -d ." });
  expect(read.ok && read.body.goal).toBe(plan.goal);
});

test("in our form a line that is wrong is named, and nothing of it is guessed", () => {
  const { markdown } = makePlan();
  const broken = editedPlan(`${markdown}\n\n# Plan\n\nagain`, makePlan());
  expect(broken).toMatchObject({ ok: false, line: expect.any(Number) });
});

test("words alone stay a plan without steps", () => {
  const read = editedPlan("Just do it well.", makePlan());
  expect(read).toMatchObject({ ok: true, markdown: "Just do it well.", body: { steps: [] } });
});
