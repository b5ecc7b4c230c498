import { expect, test } from "vitest";
import type { Edit } from "../../../shared/hashline/edit.ts";
import { mustApply, mustReject, ref } from "./text-of.ts";

const live = "a\nb\nc\nd\ne\nf\n";
const at = (number: number): string => ref(live, number);
const clashes = (...edits: Edit[]) => mustReject({ live, edits }).problems;

test("one insertion before and one after a replaced range are fine", () => {
  const edits: Edit[] = [
    { op: "insert_after", at: at(4), lines: ["after"] },
    { op: "replace", at: at(3), to: at(4), lines: ["X"] },
    { op: "insert_before", at: at(3), lines: ["before"] },
  ];
  expect(mustApply({ live, edits }).text).toBe("a\nb\nbefore\nX\nafter\ne\nf\n");
});

test("ranges may touch; insertions after one line and before the next stay in that order", () => {
  const edits: Edit[] = [
    { op: "insert_before", at: at(4), lines: ["before d"] },
    { op: "insert_after", at: at(3), lines: ["after c"] },
    { op: "replace", at: at(1), to: at(2), lines: ["AB"] },
    { op: "delete", at: at(3) },
  ];
  expect(mustApply({ live, edits }).text).toBe("AB\nafter c\nbefore d\nd\ne\nf\n");
});

test("overlapping, nested and equal ranges are refused, each by the later edit", () => {
  const replace = (from: number, to: number): Edit => ({
    op: "replace",
    at: at(from),
    to: at(to),
    lines: ["x"],
  });
  for (const [one, other] of [
    [replace(1, 3), replace(3, 4)],
    [replace(3, 4), replace(1, 3)],
    [replace(1, 5), replace(2, 3)],
    [replace(2, 3), replace(2, 3)],
  ] as const) {
    expect(clashes(one, other)).toEqual([
      { reason: "overlap", edit: 1, text: expect.stringContaining("edits[0]") },
    ]);
  }
  expect(
    clashes(replace(1, 6), replace(2, 3), { op: "delete", at: at(5) }).map((problem) => problem.edit),
  ).toEqual([1, 2]);
});

test("an insertion inside a replaced range is refused", () => {
  const range: Edit = { op: "delete", at: at(2), to: at(4) };
  expect(clashes(range, { op: "insert_after", at: at(2), lines: ["x"] })[0]?.reason).toBe("overlap");
  expect(clashes(range, { op: "insert_before", at: at(4), lines: ["x"] })[0]?.reason).toBe("overlap");
});

test("two insertions of one kind at one place are refused, since their order is unknown", () => {
  const insert: Edit = { op: "insert_after", at: at(2), lines: ["x"] };
  expect(clashes(insert, insert)).toEqual([
    { reason: "overlap", edit: 1, text: expect.stringContaining("one edit") },
  ]);
  expect(clashes({ op: "append", lines: ["x"] }, { op: "append", lines: ["y"] })[0]?.reason).toBe("overlap");
});

test("thousands of ranges over the whole of a long file are refused one by one", () => {
  const long = "x\n".repeat(100_000);
  const whole: Edit = { op: "delete", at: ref(long, 1), to: ref(long, 100_000) };
  const edits = Array.from({ length: 3_000 }, () => whole);
  expect(mustReject({ base: long, live: `${long}y\n`, edits }).problems).toHaveLength(2_999);
});

test("thousands of ranges over thousands of clipped lines are refused one by one", () => {
  const long = `${"x".repeat(3_000)}\n`.repeat(4_000);
  const whole: Edit = { op: "delete", at: ref(long, 1), to: ref(long, 4_000) };
  const { problems } = mustReject({ live: long, edits: Array.from({ length: 5_000 }, () => whole) });
  expect(problems).toHaveLength(5_000);
  expect(problems[0]?.text).toMatch(/^line 1 is 3000 characters long/);
});
