import fc from "fast-check";
import { expect, test } from "vitest";
import { applyEdits } from "../../../shared/hashline/apply.ts";
import type { Edit } from "../../../shared/hashline/edit.ts";
import { splitText } from "../../../shared/hashline/text.ts";
import { runs } from "../../harness/runs.ts";
import { mustApply, ref } from "./text-of.ts";

const edit = (live: string, ...edits: Edit[]): string => mustApply({ live, edits }).text;

test("new lines in a CRLF file end with CRLF, whatever the operation", () => {
  const live = "a\r\nb\r\nc\r\n";
  expect(edit(live, { op: "replace", at: ref(live, 2), lines: ["x", "y"] })).toBe("a\r\nx\r\ny\r\nc\r\n");
  expect(edit(live, { op: "insert_before", at: ref(live, 1), lines: ["x"] })).toBe("x\r\na\r\nb\r\nc\r\n");
  expect(edit(live, { op: "insert_after", at: ref(live, 3), lines: ["x"] })).toBe("a\r\nb\r\nc\r\nx\r\n");
  expect(edit(live, { op: "append", lines: ["x\r"] })).toBe("a\r\nb\r\nc\r\nx\r\n");
  expect(edit(live, { op: "replace_text", old: "a\nb", new: "x\ny\nz" })).toBe("x\r\ny\r\nz\r\nc\r\n");
  expect(edit(live, { op: "replace_text", old: "a\r\nb", new: "x\r\ny" })).toBe("x\r\ny\r\nc\r\n");
});

test("in a file of mixed line ends each new line ends like the one it replaces, or like the one above", () => {
  const live = "a\nb\r\nc\nd\r\n";
  expect(edit(live, { op: "replace", at: ref(live, 2), lines: ["x", "y"] })).toBe("a\nx\r\ny\r\nc\nd\r\n");
  expect(edit(live, { op: "replace", at: ref(live, 1), to: ref(live, 4), lines: ["A", "B", "C", "D"] })).toBe(
    "A\nB\r\nC\nD\r\n",
  );
  expect(edit(live, { op: "insert_after", at: ref(live, 1), lines: ["x"] })).toBe("a\nx\nb\r\nc\nd\r\n");
  expect(edit(live, { op: "insert_after", at: ref(live, 2), lines: ["x"] })).toBe("a\nb\r\nx\r\nc\nd\r\n");
});

test("lines that a payload repeats are left unchanged, and new lines among them end like the one above", () => {
  const live = "p\nq\r\n";
  const all: Edit = { op: "replace", at: ref(live, 1), to: ref(live, 2), lines: ["p", "new", "q"] };
  expect(edit(live, all)).toBe("p\nnew\nq\r\n");
  expect(mustApply({ live, edits: [all] }).regions).toEqual([{ start: 2, end: 2 }]);
});

test("replacing the last line never strips the final newline", () => {
  expect(edit("a\nb\n", { op: "replace", at: ref("a\nb\n", 2), lines: ["B"] })).toBe("a\nB\n");
  expect(edit("a\nb\n", { op: "delete", at: ref("a\nb\n", 2) })).toBe("a\n");
  expect(edit("a\nb\n", { op: "replace_text", old: "b\n", new: "B" })).toBe("a\nB\n");
  expect(edit("a\nb\n", { op: "replace_text", old: "\nb\n", new: "" })).toBe("a\n");
});

test("a missing final newline stays missing", () => {
  const live = "a\nb";
  expect(edit(live, { op: "replace", at: ref(live, 2), lines: ["B", "C"] })).toBe("a\nB\nC");
  expect(edit(live, { op: "insert_after", at: ref(live, 2), lines: ["c"] })).toBe("a\nb\nc");
  expect(edit(live, { op: "append", lines: ["c"] })).toBe("a\nb\nc");
  expect(edit(live, { op: "delete", at: ref(live, 2) })).toBe("a");
  expect(edit(live, { op: "delete", at: ref(live, 1) })).toBe("b");
  expect(edit("a", { op: "delete", at: ref("a", 1) })).toBe("");
});

test("an unterminated last line of a CRLF file gets its CRLF when lines come after it, and no CR is left alone", () => {
  const live = "a\r\nb";
  expect(edit(live, { op: "append", lines: ["c"] })).toBe("a\r\nb\r\nc");
  expect(edit(live, { op: "replace", at: ref(live, 2), lines: ["x", "y"] })).toBe("a\r\nx\r\ny");
  expect(edit(live, { op: "delete", at: ref(live, 2) })).toBe("a");
});

test("an empty line that becomes the last keeps its row, and an emptied last line leaves the newline above it", () => {
  expect(edit("a\n\nb", { op: "delete", at: ref("a\n\nb", 3) })).toBe("a\n\n");
  expect(edit("a\nb", { op: "replace", at: ref("a\nb", 2), lines: [""] })).toBe("a\n");
  expect(edit("a\nb", { op: "replace_text", old: "b", new: "" })).toBe("a\n");
});

test("a BOM stays in place, belongs to no row, and is not part of the first line's text", () => {
  const live = "\ufeffa\nb\n";
  expect(edit(live, { op: "replace", at: ref("a\n", 1), lines: ["x"] })).toBe("\ufeffx\nb\n");
  expect(edit(live, { op: "prepend", lines: ["x"] })).toBe("\ufeffx\na\nb\n");
  expect(edit(live, { op: "delete", at: ref(live, 1), to: ref(live, 2) })).toBe("\ufeff");
});

test("a line end inside a payload line is a line end, and written-out line ends are not doubled", () => {
  const live = "a\nb\n";
  expect(edit(live, { op: "replace", at: ref(live, 1), lines: ["x\ny"] })).toBe("x\ny\nb\n");
  expect(edit(live, { op: "replace", at: ref(live, 1), lines: ["x\n", "y\n"] })).toBe("x\ny\nb\n");
  expect(edit(live, { op: "insert_after", at: ref(live, 1), lines: ["", ""] })).toBe("a\n\n\nb\n");
});

const ends = fc.constantFrom("\n", "\r\n");
const part = fc.tuple(fc.constantFrom("", "a", "b", " c ", "d\t"), ends);

test("bytes outside the edited lines stay, whatever the line ends", { tags: "random" }, () => {
  const file = fc.record({
    parts: fc.array(part, { minLength: 1, maxLength: 12 }),
    bom: fc.boolean(),
    cut: fc.boolean(),
  });
  fc.assert(
    fc.property(
      file,
      fc.nat(11),
      fc.array(fc.constantFrom("x", "y", "zz"), { minLength: 1, maxLength: 3 }),
      (wish, pick, lines) => {
        const body = wish.parts.flat().join("");
        const live = (wish.bom ? "\ufeff" : "") + (wish.cut ? `${body}end` : body);
        const total = splitText(live).lines.length;
        const number = (pick % total) + 1;
        const result = applyEdits({ live, edits: [{ op: "replace", at: ref(live, number), lines }] });
        if (!result.ok) throw new Error(result.message);
        const before = live.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        const head = before.slice(0, number - 1).join("");
        const tail = before.slice(number).join("");
        expect(result.text.startsWith(head)).toBe(true);
        expect(result.text.endsWith(tail)).toBe(true);
        const middle = result.text.slice(head.length, result.text.length - tail.length);
        expect(middle.split(/\r?\n/).filter((line) => line !== "")).toEqual(
          wish.bom && number === 1 ? [`\ufeff${lines[0]}`, ...lines.slice(1)] : lines,
        );
        expect(result.text.endsWith("\n")).toBe(live.endsWith("\n"));
      },
    ),
    { numRuns: runs(2_000, 200) },
  );
});
