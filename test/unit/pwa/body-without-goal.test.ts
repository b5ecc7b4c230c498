import { expect, test } from "vitest";
import { bodyWithoutGoal } from "../../../pwa/transcript/body-without-goal.ts";
import { proposedText } from "../../../shared/plan/written-plan.ts";

test.each([
  ["Copy the note.\n\nBeside it.", "Beside it."],
  ["# Copy the note\n\nBeside it.", "Beside it."],
  ["# Goal\nCopy the note\n\nBeside it, once.", ""],
  ["# Goal:\n\nCopy the note,\nas it is,\nand keep it\n\n# Notes\nBeside it.", "# Notes\n\nBeside it."],
  ["## Goal\n\nCopy the note.\n\n## How\n\nBeside it.", "## How\n\nBeside it."],
])("the goal of a plan without steps is not repeated in the text below it: %j", (written, below) => {
  const { body, markdown } = proposedText(written);
  expect(body.steps).toEqual([]);
  expect(bodyWithoutGoal(markdown, body.goal)).toBe(below);
});

test("a text that does not start with the goal stays whole", () => {
  expect(bodyWithoutGoal("# Goal\nAnother one\n", "Copy the note")).toBe("# Goal\nAnother one\n");
  expect(bodyWithoutGoal("Say more.", "")).toBe("Say more.");
});
