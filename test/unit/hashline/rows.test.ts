import fc from "fast-check";
import { expect, test } from "vitest";
import { anchorOf } from "../../../shared/hashline/anchor.ts";
import {
  defaultMaxLineChars,
  parseReference,
  parseRow,
  renderHeader,
  renderRows,
  rowOf,
} from "../../../shared/hashline/rows.ts";
import { joinText, splitText } from "../../../shared/hashline/text.ts";
import { anyUnit } from "./text-of.ts";

const anyText = fc
  .array(fc.tuple(fc.string({ unit: anyUnit, maxLength: 12 }), fc.constantFrom("\n", "\r\n", "\r", "")))
  .map((parts) => parts.flat().join(""));

test("a text is the same after splitting and joining, whatever its line ends", () => {
  fc.assert(
    fc.property(fc.boolean(), anyText, (bom, text) => {
      const whole = bom ? `\ufeff${text}` : text;
      expect(joinText(splitText(whole))).toBe(whole);
    }),
    { numRuns: 1_000 },
  );
});

test("a row is number, anchor, bar and text; a final newline, a BOM and a CR are not shown", () => {
  const { rows, total } = renderRows("\ufeffone\r\n\r\n  two\n");
  expect(rows).toBe(`1${anchorOf("one")}|one\n2${anchorOf("")}|\n3${anchorOf("  two")}|  two`);
  expect(total).toBe(3);
});

test("an empty text has no rows, a lone newline has one", () => {
  expect(renderRows("")).toEqual({ rows: "", start: 1, end: 0, total: 0, truncated: false });
  expect(renderRows("\ufeff").total).toBe(0);
  expect(renderRows("\n")).toMatchObject({ rows: `1${anchorOf("")}|`, total: 1 });
});

test("a range shows those lines alone, and parts outside the text are ignored", () => {
  const text = "a\nb\nc\nd\n";
  expect(renderRows(text, { start: 2, end: 3 })).toMatchObject({
    start: 2,
    end: 3,
    total: 4,
    truncated: false,
  });
  expect(renderRows(text, { start: 3, end: 99 })).toMatchObject({ start: 3, end: 4, truncated: false });
  expect(renderRows(text, { start: 9 })).toMatchObject({ rows: "", start: 9, end: 8, truncated: false });
});

test("limits on rows and characters cut whole rows and say so; one row is always shown", () => {
  const text = "aaaa\nbbbb\ncccc\n";
  expect(renderRows(text, { maxRows: 2 })).toMatchObject({ end: 2, truncated: true });
  expect(renderRows(text, { maxChars: 19 })).toMatchObject({ end: 2, truncated: true });
  expect(renderRows(text, { maxChars: 18 })).toMatchObject({ end: 1, truncated: true });
  expect(renderRows(text, { maxChars: 1 })).toMatchObject({ end: 1, truncated: true });
  expect(renderRows(text, { maxRows: 3, maxChars: 29 })).toMatchObject({ end: 3, truncated: false });
});

test("a very long line is shown clipped, with a mark, and keeps the anchor of the whole line", () => {
  const line = "x".repeat(5_000_000);
  const row = rowOf(1, line);
  expect(row).toBe(
    `1${anchorOf(line)}|${"x".repeat(defaultMaxLineChars)}… [clipped: ${defaultMaxLineChars} of 5000000 characters shown]`,
  );
});

test("clipping does not cut a character in two", () => {
  expect(rowOf(1, "aa😀bb", 3)).toContain("|aa… [clipped: 2 of 6 characters shown]");
  expect(rowOf(1, "aa😀bb", 4)).toContain("|aa😀… [clipped: 4 of 6");
});

test("the header names path, version and lines", () => {
  expect(renderHeader("src/a.ts", "v3", 1, 20, 120)).toBe("[src/a.ts @v3 lines 1-20 of 120]");
});

test("a reference is number and anchor; a whole row counts as its reference; anything else does not", () => {
  expect(parseReference("42foo")).toEqual({ line: 42, anchor: "foo" });
  expect(parseReference(" 42foo|  return x")).toEqual({ line: 42, anchor: "foo" });
  for (const text of [
    "",
    "42",
    "foo",
    "42fo",
    "42FOO",
    "-1foo",
    "4.2foo",
    "42foo bar",
    "42 foo",
    "1e9foo",
    "42fooo",
  ]) {
    expect(parseReference(text)).toBeNull();
  }
});

test("text shaped like a row without a word of the table is not a row", () => {
  expect(parseRow("42foo|  x")).toEqual({ line: 42, anchor: "foo", text: "  x" });
  for (const text of ["42xqz|x", "42Foo|x", "0foo|x", "42foo: x", "42foo", "# Note: x", "- item", '1: "one"'])
    expect(parseRow(text)).toBeNull();
});

test("rendered rows parse back to the lines, and render the same again", () => {
  const line = fc
    .string({ unit: anyUnit, maxLength: 20 })
    .map((text) => text.replaceAll(/[\n\r\ufeff]/g, " "));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 30 }), (lines) => {
      const rows = renderRows(`${lines.join("\n")}\n`).rows;
      const parsed = rows.split("\n").map(parseRow);
      expect(parsed.map((row) => row?.text)).toEqual(lines);
      expect(parsed.map((row) => `${row?.line}${row?.anchor}|${row?.text}`).join("\n")).toBe(rows);
    }),
  );
});

test("200,000 lines render whole", { tags: "long" }, () => {
  const text = Array.from({ length: 200_000 }, (_, index) => `line ${index}`).join("\n");
  const shown = renderRows(text);
  expect(shown.end).toBe(200_000);
  expect(shown.rows.endsWith(`200000${anchorOf("line 199999")}|line 199999`)).toBe(true);
});
