// The examples of CommonMark's specification, with a reason for each deliberate difference.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseInline } from "../../../pwa/markdown/parse-inline.ts";
import { comparable, htmlOf } from "./markdown-html.ts";

type Example = [number: number, markdown: string, html: string];
const file = new URL("../../fixtures/commonmark/examples.json", import.meta.url);
const sections: Record<string, Example[]> = JSON.parse(readFileSync(file, "utf8"));
const examples = new Map(Object.values(sections).flatMap((all) => all.map((each) => [each[0], each])));

function numbers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** The same words are in the same places. Tags count as words. */
const tagsAreText = [
  201, 344, 475, 476, 477, 491, 494, 524, 536, 613, 614, 617, 623, 625, 627, 628, 642, 643,
];

const different: Record<string, number[]> = {
  // A model's text never becomes elements of its choice. It becomes a paragraph whose markdown is rendered as
  // usual.
  "HTML is text": [21, 31, ...numbers(148, 191), 308, 309, 615, 616, 626, 629, 630, 631, 632],
  // The complete table of names is larger than the parser. Unknown names are left as they were written.
  "only character references that models use are decoded": [25],
  // Bare addresses become links as on GitHub, because models write them.
  "bare addresses are links": [602, 608, 611],
  // Otherwise there would be nothing to tap.
  "a link without words shows its address": [484],
};
const apart = new Set([...tagsAreText, ...Object.values(different).flat()]);

function example(number: number): Example {
  const found = examples.get(number);
  if (found === undefined) throw new Error(`The specification has no example ${number}.`);
  return found;
}

const decoded = (html: string) =>
  html.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

test("all examples are there", () => {
  expect([...examples.keys()]).toEqual(numbers(1, 652));
});

test.each(Object.entries(sections))("%s: as in the specification", (_, all) => {
  for (const [number, markdown, html] of all)
    if (!apart.has(number))
      expect.soft(comparable(htmlOf(markdown)), `example ${number}`).toBe(comparable(html));
});

test("tags in text are text in the same place", () => {
  for (const number of tagsAreText) {
    const [, markdown, html] = example(number);
    const ours = comparable(htmlOf(markdown));
    expect.soft(ours, `example ${number}`).not.toBe(comparable(html));
    expect.soft(decoded(ours), `example ${number}`).toBe(decoded(comparable(html)));
  }
});

describe("different on purpose", () => {
  test.each(Object.entries(different))("%s", (_, all) => {
    for (const number of all) {
      const [, markdown, html] = example(number);
      const ours = comparable(htmlOf(markdown));
      expect.soft(ours, `example ${number} needs no exception`).not.toBe(comparable(html));
      expect
        .soft(ours)
        .not.toMatch(/<(?!\/?(?:p|h[1-6]|[ou]l|li|pre|code|em|strong|blockquote|a|hr|br)[ >])/);
    }
  });

  test("an address that is not http, https or mailto leads nowhere", () => {
    for (const [, markdown] of [...(sections.Links ?? []), ...(sections.Autolinks ?? [])])
      for (const part of parseInline(markdown))
        if (part.kind === "link") expect(part.href).toMatch(/^(?:https?:\/\/|mailto:)/i);
  });
});
