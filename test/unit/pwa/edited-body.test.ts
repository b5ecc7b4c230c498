// A plan's steps are edited one by one. Everything else stays exactly as it was.
import { expect, test } from "vitest";
import {
  bodyOfText,
  textOfBody,
  withCommand,
  withNewStep,
  withoutStep,
  withStep,
  withStepMoved,
} from "../../../pwa/sheets/edited-body.ts";

const text = `# Goal

Say which limit ran out

# Plan

1. [s1] Add \`limit\`
   - action: extend the class
   - check (30 s): npx tsc --noEmit | tail -5
2. [s2] Pass it at all throw sites
   - on fail: rollback
3. [s3] Test both

# Decision points

1) What is it called?

# Notes

Keep #this as it is.`;

const bodyOf = (markdown: string) => {
  const body = bodyOfText(markdown, []);
  if (body === undefined) throw new Error("It does not read as a plan.");
  return body;
};

test("the text of unchanged steps is the same, notes included", () => {
  expect(textOfBody(bodyOf(text), text)).toBe(text);
});

test("a change of one step changes its lines alone, and its check keeps its time limit", () => {
  const body = bodyOf(text);
  const check = withCommand(body.steps[0]?.checkpoint ?? null, "npm run types");
  const next = withStep(body, "s1", { description: "Add it", checkpoint: check });
  expect(textOfBody(next, text)).toBe(
    text.replace("Add `limit`", "Add it").replace("npx tsc --noEmit | tail -5", "npm run types"),
  );
  expect(withCommand(check, " ")).toBeNull();
});

test("steps move by one place and not beyond the ends; ids move with them, and a deleted id is not used again", () => {
  const body = bodyOf(text);
  const ids = (each: typeof body) => each.steps.map(({ id }) => id);
  expect(ids(withStepMoved(body, "s3", -1))).toEqual(["s1", "s3", "s2"]);
  expect(withStepMoved(body, "s1", -1)).toBe(body);
  expect(withStepMoved(body, "s3", 1)).toBe(body);
  const added = withNewStep(withoutStep(body, "s3"), "New", ["s1", "s2", "s3"]);
  expect(added.id).toBe("s4");
  expect(ids(added.body)).toEqual(["s1", "s2", "s4"]);
});

test("text that is not a plan with headings is edited as text", () => {
  expect(bodyOfText("Just do it.", [])).toBeUndefined();
  expect(bodyOfText("# Goal\n\nx\n\n# Unheard of\n\ny", [])).toBeUndefined();
});
