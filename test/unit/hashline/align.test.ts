import fc from "fast-check";
import { expect, test } from "vitest";
import { align, likelyRange, locate } from "../../../shared/hashline/align.ts";
import { makeOracle } from "../../bench/hashline-oracle.ts";
import { runs } from "../../harness/runs.ts";

const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 14 });

test("a range is located exactly where the rule by definition allows it, and nowhere else", {
  tags: "random",
}, () => {
  fc.assert(
    fc.property(lines, lines, (base, live) => {
      const [alignment, oracle] = [align(base, live), makeOracle(base, live)];
      for (let from = 0; from < base.length; from += 1) {
        for (let to = from + 1; to <= base.length; to += 1)
          expect(locate(alignment, from, to)).toBe(oracle(from, to));
      }
    }),
    { numRuns: runs(3_000, 300) },
  );
});

test("a duplicated line is placed only between unchanged lines without duplicates, or the ends of the file", () => {
  const placeOf = (base: string, live: string, line: number): number | null =>
    locate(align(base.split(" "), live.split(" ")), line, line + 1);
  expect(placeOf("a } b } c", "a } b } c", 1)).toBe(1);
  expect(placeOf("a } b } c", "a } new b } c", 1)).toBe(1);
  expect(placeOf("a } b } c", "A } b } c", 1)).toBe(null);
  expect(placeOf("a } b } c", "a } B } c", 1)).toBe(null);
  expect(placeOf("a } ; b } ; c", "a } new ; b } ; c", 2)).toBe(3);
  expect(placeOf("a } b }", "new a } b }", 3)).toBe(4);
  expect(placeOf("a } b }", "a } b } new", 3)).toBe(3);
});

test("a moved block of thousands of lines keeps its neighbours located, and is itself not located", () => {
  const block = Array.from({ length: 1_700 }, (_, index) => `moved ${index}`);
  const rest = Array.from({ length: 5_000 }, (_, index) => `stays ${index}`);
  const { sure, likely } = align([...block, ...rest], [...rest, ...block]);
  expect([...sure.subarray(0, 1_700)].every((place) => place === -1)).toBe(true);
  expect([...sure.subarray(1_700)].every((place, index) => place === index)).toBe(true);
  expect(likely[1_700]).toBe(0);
});

test("texts that differ too much for the allowed work locate nothing", () => {
  const base = Array.from({ length: 400 }, (_, index) => String((index * 7) % 13));
  const live = Array.from({ length: 400 }, (_, index) => String((index * 5) % 13));
  const { sure, likely } = align(base, live, 1_000);
  expect([...sure, ...likely].every((place) => place === -1)).toBe(true);
});

test("where lines are gone, the lines between their neighbours are the likely place", () => {
  const alignment = align(["a", "b", "c", "d"], ["x", "a", "B1", "B2", "d"]);
  expect(likelyRange(alignment, 1, 3, 5)).toEqual([2, 4]);
  expect(likelyRange(align(["a"], ["b"]), 0, 1, 1)).toEqual([0, 1]);
});
