// A plan's text after a person edited it.
import { expect, test } from "vitest";
import { editedPlan } from "../../../shared/plan/edited-plan.ts";
import { makePlan } from "./plan-fixture.ts";

test("text in its own form has steps and checks, and existing ones keep their ids", () => {
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

const { markdown } = makePlan();
const step = "1. [s1] Write the test";

test.each([
  ["a line below a step", markdown.replace(step, `${step}\n   and make it fail first`), /fail first/],
  ["a bullet below a step", markdown.replace(step, `${step}\n   - use vitest`), /- action: use vitest/],
  ["a word before the goal", `This is what I want:\n\n${markdown}`, /# Notes\n\nThis is what I want:/],
  ["a heading of their own", `${markdown}\n\n# Remarks\n\nBe careful`, /# Remarks\n\nBe careful/],
  ["another word for the check", markdown.replace("- check: npm test", "- verify: `npm test`"), /npm test/],
])("%s is read like a model's text, with all steps, ids and checks", (_, text, says) => {
  const read = editedPlan(text, makePlan());
  expect(read).toMatchObject({ ok: true, markdown: expect.stringMatching(says) });
  expect(read.ok && read.body.steps.map(({ id }) => id)).toEqual(["s1", "s2", "s3"]);
  expect(read.ok && read.body.steps[1]?.checkpoint).toEqual({ command: "npm test" });
});

test("a wrong line is named where a check would be lost with it", () => {
  const broken = editedPlan(markdown.replace("- check: npm test", "- check npm test"), makePlan());
  expect(broken).toMatchObject({ ok: false, line: 9, problem: expect.stringContaining("expected a step") });
  const empty = editedPlan(markdown.replace(step, "1. [s1] "), makePlan());
  expect(empty).toMatchObject({ ok: false, line: 7 });
});

test("plain text stays a plan without steps", () => {
  const read = editedPlan("Just do it well.", makePlan());
  expect(read).toMatchObject({ ok: true, markdown: "Just do it well.", body: { steps: [] } });
});
