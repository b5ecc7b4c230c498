import { expect, test } from "vitest";
import { markdownOfHtml } from "../../../pwa/changes/markdown-of-html.ts";
import { htmlOf } from "./markdown-html.ts";

const drawn = (text: string) => htmlOf(markdownOfHtml(text)).trim();

test.each([
  ['<p align="center">\n\t<img src="logo.svg" alt="Ky">\n</p>\n\nText', "<p>Ky</p><p>Text</p>"],
  ["<h1 align=center>Ky</h1>\n", "<h1>Ky</h1>"],
  [
    "<details>\n<summary>More</summary>\n\n- a\n\n</details>",
    "<p><strong>More</strong></p><ul><li>a</li></ul>",
  ],
  ["Press <kbd>Esc</kbd>, <b>now</b>", "<p>Press <code>Esc</code>, <strong>now</strong></p>"],
  ['See <a href="https://a.example/x(1)">it</a>.', '<p>See <a href="https://a.example/x(1)">it</a>.</p>'],
  ["one<br>two", "<p>one<br>two</p>"],
  ["<!-- a\n\ncomment -->Text", "<p>Text</p>"],
] as const)("%j is drawn without its tags", (text, expected) => {
  expect(drawn(text)).toBe(expected);
});

test.each([
  "a `Map<b>` and `<p align=center>`",
  "```html\n<p>x</p><!-- y -->\n```",
  "Promise<string>, <T>",
  "    <p>code</p>",
])("%j is code or no tag of HTML, and stays as it is", (text) => expect(markdownOfHtml(text)).toBe(text));

test("a script and an address that is no page stay text or lead nowhere", () => {
  expect(drawn("<script>alert(1)</script>")).toContain("&lt;script");
  expect(markdownOfHtml('<a href="javascript:alert(1)">x</a>')).toBe("[x](<javascript:alert(1)>)");
});

test("what never ends takes no longer for that", () => {
  for (const text of [
    "<!--".repeat(50_000),
    "<a ".repeat(50_000),
    "<a href='x'>".repeat(20_000),
    "<b>".repeat(50_000),
  ])
    expect(typeof markdownOfHtml(text)).toBe("string");
});
