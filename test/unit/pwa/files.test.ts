import fc from "fast-check";
import { expect, test } from "vitest";
import { decodedText, imageType, sizeInWords } from "../../../pwa/files/file-kind.ts";
import { highlight } from "../../../pwa/files/highlight.ts";
import { languageOf } from "../../../pwa/files/languages.ts";

const language = (path: string) => {
  const found = languageOf(path);
  if (found === undefined) throw new Error(`no language for ${path}`);
  return found;
};
const kinds = (text: string, path: string) =>
  highlight(text, language(path)).map((line) =>
    line.filter(({ kind }) => kind !== "plain").map(({ text: part, kind }) => `${kind} ${part}`),
  );

const paths = [
  "a.ts",
  "a.py",
  "a.rs",
  "a.sh",
  "a.yml",
  "a.css",
  "a.html",
  "a.sql",
  "a.json",
  "a.rb",
  "Makefile",
];

test("colours never change the text, in any language, however malformed", () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom(
        "/*",
        "*/",
        "//",
        "#",
        '"',
        "'",
        "`",
        '"""',
        "\\",
        "\n",
        "<!--",
        "-->",
        "--",
        "12",
        "if",
        " ",
      ),
      fc.string({ unit: "grapheme", maxLength: 6 }),
    ),
    { maxLength: 40 },
  );
  const same = fc.property(pieces, fc.constantFrom(...paths), (parts, path) => {
    const text = parts.join("");
    const lines = highlight(text, language(path));
    expect(lines.map((line) => line.map((token) => token.text).join("")).join("\n")).toBe(text);
  });
  expect(() => fc.assert(same)).not.toThrow();
});

test("comments, strings, keywords and numbers are distinguished", () => {
  expect(kinds('const a = "x"; // 1\nreturn 42;', "a.ts")).toEqual([
    ["keyword const", 'string "x"', "comment // 1"],
    ["keyword return", "number 42"],
  ]);
  expect(kinds("# note\nif x == 'y':", "a.py")).toEqual([["comment # note"], ["keyword if", "string 'y'"]]);
});

test("a comment spans lines to its end, a string ends with its line", () => {
  expect(kinds("/* a\nb */ let", "a.js")).toEqual([["comment /* a"], ["comment b */", "keyword let"]]);
  expect(kinds('"open\nlet', "a.js")).toEqual([['string "open'], ["keyword let"]]);
});

test("a long file with an unclosed comment or string is coloured at once", () => {
  const text = `${"a 'b \"c ".repeat(40_000)}\n/*${"* ".repeat(40_000)}`;
  for (const path of paths) expect(highlight(text, language(path)).length).toBeGreaterThan(0);
});

test("the type of a file follows from its name and its bytes", () => {
  expect([imageType("a/b.PNG"), imageType("a.svg"), imageType("a.ts")]).toEqual([
    "image/png",
    "image/svg+xml",
    undefined,
  ]);
  const bytes = (...values: number[]) => new Uint8Array(values);
  expect(decodedText(bytes(104, 105), false)).toBe("hi");
  expect(decodedText(bytes(104, 0), false)).toBeUndefined();
  expect(decodedText(bytes(104, 0xc3), false)).toBeUndefined();
  expect(decodedText(bytes(104, 0xc3), true)).toBe("h");
});

test("sizes are shown in decimal units, as on phones", () => {
  expect([1, 312, 4_100, 999_499, 12_000_000].map(sizeInWords)).toEqual([
    "1 byte",
    "312 bytes",
    "4.1 KB",
    "999 KB",
    "12 MB",
  ]);
});
