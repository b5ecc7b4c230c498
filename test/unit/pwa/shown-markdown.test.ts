// Everything that a person approves is on the screen, however it is written in markdown.
import { expect, test } from "vitest";
import { parseInline } from "../../../pwa/markdown/parse-inline.ts";
import { shownMarkdown, showsAllWords } from "../../../pwa/markdown/shown-markdown.ts";
import { markdownPlan } from "../../../shared/plan/set-plan.ts";
import { htmlOf } from "./markdown-html.ts";

const inline = [
  ["a link's title", 'Read [the guide](https://example.com "HIDDEN")'],
  ["a link's path", "Read [the guide](https://example.com/HIDDEN)"],
  ["a number in a link's path", "Read [the guide](https://example.com/777)"],
  ["an image's title", '![picture](x.png "HIDDEN")'],
  ["an image's address", "![picture](https://example.com/HIDDEN.png)"],
  ["a link that leads nowhere", "[the guide](javascript:HIDDEN)"],
] as const;

const blocks = [
  ["text after a fence's language", "```sh HIDDEN\nls\n```"],
  ["a cell beside a table", "| a |\n|---|\n| b | HIDDEN |"],
  ["a definition of a link", 'Words\n\n[x]: https://example.com "HIDDEN"'],
] as const;

test.each(inline)("text is shown as written because of %s", (_carrier, text) => {
  expect(showsAllWords(text)).toBe(false);
});

test.each([...inline.filter(([, text]) => text.includes("HIDDEN")), ...blocks])(
  "blocks spell out %s",
  (_carrier, text) => {
    expect(htmlOf(text).replace(/<[^>]*>/g, "")).not.toContain("HIDDEN");
    expect(htmlOf(shownMarkdown(text)).replace(/<[^>]*>/g, "")).toContain("HIDDEN");
  },
);

test("text that hides nothing is drawn", () => {
  for (const text of [
    "Use **two** words of `code`",
    "See https://example.com/path/1 and <https://example.com>",
    "1. One\n2. Two &amp; 3 &lt; 4",
  ]) {
    expect(shownMarkdown(text)).toBe(text);
    expect(showsAllWords(text)).toBe(true);
  }
});

test("a step keeps the title of a link, and shows it", () => {
  const made = markdownPlan('# Goal\n\nTidy\n\n# Plan\n\n1. [s1] Read [it](https://example.com "HIDDEN")\n');
  if (!made.ok) throw new Error(made.problem);
  const description = made.body.steps[0]?.description ?? "";
  expect(description).toContain("HIDDEN");
  expect(JSON.stringify(parseInline(description))).not.toContain("HIDDEN");
  expect(showsAllWords(description)).toBe(false);
});
