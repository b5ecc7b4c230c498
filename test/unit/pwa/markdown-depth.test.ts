// A model's text may be nested to any depth; the rendered elements are not.
import { expect, test } from "vitest";
import { maxDepth } from "../../../pwa/markdown/block.ts";
import { parseBlocks } from "../../../pwa/markdown/parse-blocks.ts";
import { parseInline } from "../../../pwa/markdown/parse-inline.ts";

const chars = 60_000;
const fill = (piece: string) => piece.repeat(Math.ceil(chars / piece.length));
const half = (piece: string) => piece.repeat(chars / 2 / piece.length);

/** The nesting depth of the lists in `value`: blocks, items and parts alike. */
function depthOf(value: unknown): number {
  if (Array.isArray(value)) return 1 + value.reduce((most: number, each) => Math.max(most, depthOf(each)), 0);
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((most: number, each) => Math.max(most, depthOf(each)), 0);
}

test.each([fill(">"), fill("- "), fill("1. "), `${fill("> - ")}x`])(
  "blocks of %# are drawn to a limited depth",
  (text) => {
    expect(depthOf(parseBlocks(text).blocks)).toBeLessThanOrEqual(2 * (maxDepth + 2));
  },
);

test.each([
  half("**a ") + half(" a**"),
  half("*a ") + half("a* "),
  half("*a _b **c __d ") + half("a* b_ "),
  half("[") + half("]"),
  fill("[a](b "),
  fill('[a](b "'),
  fill("``a`"),
  fill("<a "),
  fill("a*"),
])("inline text of %# is drawn to a limited depth", (text) => {
  expect(depthOf(parseInline(text))).toBeLessThanOrEqual(2 * maxDepth + 2);
});
