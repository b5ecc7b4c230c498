import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Inline } from "../../../pwa/markdown/block.ts";
import { parseBlocks as parse } from "../../../pwa/markdown/parse-blocks.ts";
import { parseInline } from "../../../pwa/markdown/parse-inline.ts";

const parseBlocks = (text: string) => parse(text).blocks;

describe("blocks", () => {
  test("paragraphs, headings, lists and code are distinguished", () => {
    const kinds = parseBlocks("# T\nsome words\n\n- a\n- b\n\n```ts\nx\n```\n> q\n\n---").map(
      ({ kind }) => kind,
    );
    expect(kinds).toEqual(["heading", "paragraph", "list", "code", "quote", "rule"]);
  });

  test("a list keeps what is below its items", () => {
    const [list] = parseBlocks("1. one\n   - below\n2. two");
    expect(list).toMatchObject({ kind: "list", ordered: true, loose: false });
    expect(list?.kind === "list" && list.items).toMatchObject([
      [{ text: "one" }, { kind: "list", ordered: false }],
      [{ text: "two" }],
    ]);
  });

  test("code in a numbered list keeps its indentation", () => {
    const [list] = parseBlocks("1. Run:\n\n   ```python\n   def f():\n       return 1\n   ```\n2. Look");
    expect(list?.kind === "list" && list.items[0]?.[1]).toEqual({
      kind: "code",
      language: "python",
      text: "def f():\n    return 1",
    });
  });

  test("an open fence extends to the end", () => {
    expect(parseBlocks("```js\nlet a")).toEqual([{ kind: "code", language: "js", text: "let a" }]);
  });

  test("a table has its cells, short rows filled and escaped bars kept", () => {
    const text = "Results:\n| Name | Count |\n|:--|--:|\n| `a\\|b` | 3 |\n| c |\n\nafter";
    expect(parseBlocks(text)).toEqual([
      { kind: "paragraph", text: "Results:" },
      {
        kind: "table",
        head: ["Name", "Count"],
        align: ["left", "right"],
        rows: [
          ["`a|b`", "3"],
          ["c", ""],
        ],
      },
      { kind: "paragraph", text: "after" },
    ]);
  });

  test.each(["a | b", "a | b\n---", "a\n---\nb", "| a | b |\n|---|"])("%j is not a table", (text) => {
    expect(parseBlocks(text).map(({ kind }) => kind)).not.toContain("table");
  });

  test("every text is finished", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("#", "-", " ", "\n", "`", ">", "1", ".", "a", "*", "|") }),
        (text) => {
          expect(Array.isArray(parseBlocks(text))).toBe(true);
        },
      ),
    );
  });
});

describe("inline", () => {
  const links = (parts: Inline[]) => parts.filter((part) => part.kind === "link");

  test("code, bold and links are found in a sentence", () => {
    expect(parseInline("see `a*b*` and **this** at [docs](https://e.org)").map(({ kind }) => kind)).toEqual([
      "text",
      "code",
      "text",
      "bold",
      "text",
      "link",
    ]);
  });

  test("snake_case and arithmetic are not emphasis", () => {
    expect(parseInline("a_b_c and 2 * 3 * 4")).toEqual([{ kind: "text", text: "a_b_c and 2 * 3 * 4" }]);
  });

  test.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "JAVASCRIPT:x",
    "vbscript:x",
    "/api/config",
    "//e.org",
  ])("%s is not a link", (href) => {
    expect(links(parseInline(`[x](${href})`))).toEqual([]);
  });

  test("an image is shown as its text", () => {
    expect(
      parseInline("![secret](https://e.org/x.png)").every(({ kind }) => kind === "text" || kind === "link"),
    ).toBe(true);
    expect(links(parseInline("![secret](https://e.org/x.png)"))).toEqual([]);
  });
});
