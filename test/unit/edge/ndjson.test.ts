// Splits the sandbox server's streams into lines, from chunks that are cut anywhere.
import fc from "fast-check";
import { expect, test } from "vitest";
import { LineBuffer } from "../../../shared/ndjson.ts";

test("wherever a stream is cut, its lines are the same, and an unterminated line is the rest", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "\r\n", "\n", "\n\n", '"'), maxLength: 40 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(45), { maxLength: 10 }), (whole, cuts) => {
      const buffer = new LineBuffer();
      const places = [0, ...cuts.filter((cut) => cut < whole.length).toSorted((a, b) => a - b), whole.length];
      const lines = places
        .slice(1)
        .flatMap((place, index) => buffer.push(whole.slice(places[index] ?? 0, place)));
      const ended = whole.slice(0, whole.lastIndexOf("\n") + 1);
      expect(lines).toEqual(ended.split(/\r?\n/).filter((line) => line !== ""));
      expect(buffer.rest).toBe(whole.slice(ended.length));
    }),
  );
});

test("a line of 64 MB in small chunks is assembled", { tags: "long" }, () => {
  const buffer = new LineBuffer();
  const chunk = "x".repeat(4_096);
  // If every chunk caused a new search from the start, this would take hours.
  for (let count = 0; count < 16_384; count += 1) expect(buffer.push(chunk)).toHaveLength(0);
  const [line] = buffer.push("y\n");
  expect([line?.length, line?.at(-1), buffer.rest]).toEqual([64 * 1024 * 1024 + 1, "y", ""]);
});
