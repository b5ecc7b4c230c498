import { expect, test } from "vitest";
import { readPoints } from "../../../functions/one-answer/read-points.ts";

const read = (written: string) => readPoints(written, ["a", "b"]);

test.each([
  ["whole: No way back.", "No way back."],
  ["Whole plan: No way back.", "No way back."],
  ["**On the whole plan:** `git` is missing.", "`git` is missing."],
  ["The whole plan - no way back.", "no way back."],
  ["Overall: No way back.", "No way back."],
  ["The plan as a whole: No way back.", "No way back."],
  ["(Entire plan) – no way back.", "no way back."],
  ["Step 0 (whole plan): No way back.", "No way back."],
  ["Step 2: The wrong number.", "Step 2: The wrong number."],
  ["The whole thing is needless.", "The whole thing is needless."],
])("a point on the whole plan names its place once: %s", (text, said) => {
  expect(read(JSON.stringify({ points: [{ step: 0, text }] }))).toEqual([{ text: said }]);
  if (!text.startsWith("Step")) expect(read(`- ${text}`)).toEqual([{ text: said }]);
});

test("a point on a step does not name it again", () => {
  const points = [
    { step: 2, text: "Step 2: `npm test` cannot fail." },
    { step: 1, text: "Step 2 comes first." },
  ];
  expect(read(JSON.stringify({ points }))).toEqual([
    { stepId: "b", text: "`npm test` cannot fail." },
    { stepId: "a", text: "Step 2 comes first." },
  ]);
});

test("at most five points of at most 600 characters are read, with marks for what does not show", () => {
  const points = Array.from({ length: 7 }, () => ({ step: 1, text: `a\u202e${"x".repeat(1_000)}` }));
  const read5 = read(JSON.stringify({ points })) ?? [];
  expect(read5).toHaveLength(5);
  for (const { text } of read5) expect(text).toBe(`a⟨U+202E⟩${"x".repeat(598)}`);
});
