import fc from "fast-check";
import { expect, test } from "vitest";
import { align, likelyRange, locate } from "../../../shared/hashline/align.ts";
import { makeOracle, placesOf } from "../../bench/hashline-oracle.ts";

const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 14 });

test("a line is placed exactly where every shortest difference puts it", () => {
  fc.assert(
    fc.property(lines, lines, (base, live) => {
      const { sure } = align(base, live);
      const expected = placesOf(base, live).map((places) => (places.length === 1 ? (places[0] ?? -1) : -1));
      expect([...sure]).toEqual(expected);
    }),
    { numRuns: 3_000 },
  );
});

test("a range is located exactly where the rule by definition allows it", () => {
  fc.assert(
    fc.property(lines, lines, fc.nat(13), fc.nat(3), (base, live, from, more) => {
      const to = Math.min(base.length, from + 1 + more);
      if (from >= to) return;
      expect(locate(align(base, live), from, to, live.length)).toBe(makeOracle(base, live)(from, to).strict);
    }),
    { numRuns: 3_000 },
  );
});

test("a moved block of thousands of lines keeps its neighbours placed, and is placed nowhere itself", () => {
  const block = Array.from({ length: 1_700 }, (_, index) => `moved ${index}`);
  const rest = Array.from({ length: 5_000 }, (_, index) => `stays ${index}`);
  const { sure, likely } = align([...block, ...rest], [...rest, ...block]);
  expect([...sure.subarray(0, 1_700)].every((place) => place === -1)).toBe(true);
  expect([...sure.subarray(1_700)].every((place, index) => place === index)).toBe(true);
  expect(likely[1_700]).toBe(0);
});

test("texts that differ too much for the allowed work place nothing", () => {
  const base = Array.from({ length: 400 }, (_, index) => String((index * 7) % 13));
  const live = Array.from({ length: 400 }, (_, index) => String((index * 5) % 13));
  const { sure, likely } = align(base, live, 1_000);
  expect([...sure, ...likely].every((place) => place === -1)).toBe(true);
});

test("where lines are gone, what stands between their neighbours is their likely place", () => {
  const alignment = align(["a", "b", "c", "d"], ["x", "a", "B1", "B2", "d"]);
  expect(likelyRange(alignment, 1, 3, 5)).toEqual([2, 4]);
  expect(likelyRange(align(["a"], ["b"]), 0, 1, 1)).toEqual([0, 1]);
});
