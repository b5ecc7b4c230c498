// Colours in a diff: each side is highlighted as code, and no character is lost between colours and changed
// words.
import fc from "fast-check";
import { expect, test } from "vitest";
import { colouredLines, pieces } from "../../../pwa/diff/coloured-lines.ts";
import type { DiffLine } from "../../../pwa/diff/parse-diff.ts";

const line = (kind: DiffLine["kind"], text: string): DiffLine => ({ kind, number: 1, text });

test("a removed comment colours no added line", () => {
  const lines = [line("removed", "/* off"), line("added", "const on = 1;"), line("same", "return;")];
  const coloured = colouredLines("a.ts", lines);
  const [removed, added] = lines.map((each) => coloured.get(each));
  expect(removed).toEqual([{ text: "/* off", kind: "comment" }]);
  expect(added?.[0]).toEqual({ text: "const", kind: "keyword" });
  expect(colouredLines("a.unheard", lines).size).toBe(0);
});

test("joined pieces are the line, whatever its tokens and changed words", () => {
  const cuts = fc.array(fc.string({ maxLength: 4 }), { maxLength: 6 });
  fc.assert(
    fc.property(cuts, fc.array(fc.nat({ max: 24 }), { maxLength: 4 }), (texts, at) => {
      const text = texts.join("");
      const ends = [...new Set([...at.filter((end) => end < text.length), text.length])].sort(
        (a, b) => a - b,
      );
      const words = ends.map((end, index) => ({
        text: text.slice(ends[index - 1] ?? 0, end),
        changed: index % 2 === 0,
      }));
      const cut = pieces(
        texts.map((part) => ({ text: part, kind: "plain" as const })),
        words,
      );
      expect(cut.map((piece) => piece.text).join("")).toBe(text);
    }),
    { numRuns: 100 },
  );
});
