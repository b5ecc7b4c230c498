import { expect, test } from "vitest";
import type { Edit } from "../../../shared/hashline/edit.ts";
import { mustApply, mustReject, ref } from "./text-of.ts";

const live = "function a() {\n  return 1;\n}\n";
const at = (number: number): string => ref(live, number);
const replaceLine2 = (...lines: string[]): Edit[] => [{ op: "replace", at: at(2), lines }];

test("row prefixes are removed where every line has a real one", () => {
  const result = mustApply({ live, edits: replaceLine2(`${at(2)}|  return 2;`, `${at(1)}|x`) });
  expect(result.text).toBe("function a() {\n  return 2;\nx\n}\n");
  expect(result.warnings).toEqual([expect.stringContaining("prefixes")]);
});

test("prefixes of another line, of no line, or on some lines only are ordinary text", () => {
  const wrongAnchor = `2${at(1).slice(1)}|x`;
  expect(mustApply({ live, edits: replaceLine2(wrongAnchor) }).text).toContain(`${wrongAnchor}\n`);
  expect(mustApply({ live, edits: replaceLine2("99dog|x") }).text).toContain("99dog|x\n");
  const mixed = mustApply({ live, edits: replaceLine2(`${at(2)}|  return 2;`, "  // more") });
  expect(mixed.text).toContain(`${at(2)}|  return 2;\n`);
  expect(mixed.warnings).toEqual([expect.stringContaining("row prefix")]);
});

test("prefixes are those of the base, not of the file as it is now", () => {
  const edits: Edit[] = [{ op: "replace", at: at(2), lines: [`${at(2)}|  return 2;`] }];
  expect(mustApply({ base: live, live: `// new\n${live}`, edits }).text).toBe(
    "// new\nfunction a() {\n  return 2;\n}\n",
  );
});

test("comments, list items and object keys that look a little like prefixes stay unchanged", () => {
  const lines = ["# Note:", "- item", '1: "one"', "+ added", "> quote", "1|2", "12abc"];
  expect(mustApply({ live, edits: replaceLine2(...lines) }).text).toBe(
    `function a() {\n${lines.join("\n")}\n}\n`,
  );
});

test("a payload that repeats the adjacent line is written as it is, with a warning", () => {
  const below = mustApply({ live, edits: replaceLine2("  return 2;", "}") });
  expect(below.text).toBe("function a() {\n  return 2;\n}\n}\n");
  expect(below.warnings).toEqual([expect.stringMatching(/repeats line 4/)]);
  const above = mustApply({ live, edits: replaceLine2("function a() {", "  return 2;") });
  expect(above.warnings).toEqual([expect.stringMatching(/repeats line 1/)]);
  const inserted = mustApply({
    live,
    edits: [{ op: "insert_after", at: at(1), lines: ["function a() {", "x"] }],
  });
  expect(inserted.warnings).toHaveLength(1);
});

test("a line that replaces a deleted copy of itself is not reported as repeated", () => {
  const moved: Edit[] = [{ op: "delete", at: at(1) }, ...replaceLine2("function a() {", "  return 2;")];
  expect(mustApply({ live, edits: moved }).warnings).toEqual([]);
  const below: Edit[] = [{ op: "delete", at: at(3) }, ...replaceLine2("  return 2;", "}")];
  expect(mustApply({ live, edits: below }).warnings).toEqual([]);
});

test("neither are blank lines, nor lines that were already there twice", () => {
  const nested = "if (a) {\n  b();\n}\n}\n\n\n";
  expect(
    mustApply({
      live: nested,
      edits: [{ op: "replace", at: ref(nested, 2), to: ref(nested, 3), lines: ["c();", "}"] }],
    }).warnings,
  ).toEqual([]);
  expect(
    mustApply({ live: nested, edits: [{ op: "insert_before", at: ref(nested, 5), lines: ["x", ""] }] })
      .warnings,
  ).toEqual([]);
});

test("a payload line with a redaction mark is refused, unless the file really contains it", () => {
  for (const mark of ["key = [redacted]", 'token: "[redacted: openai key]"']) {
    expect(mustReject({ live, edits: replaceLine2(mark) })).toMatchObject({
      code: "invalid_request",
      reason: "redacted",
    });
  }
  expect(mustReject({ live, edits: [{ op: "replace_text", old: "1", new: "[redacted]" }] }).reason).toBe(
    "redacted",
  );
  expect(mustReject({ live, edits: replaceLine2("x ***"), redaction: /\*{3}/g }).reason).toBe("redacted");
  const literal = 'const mark = "[redacted]";\nb\n';
  const edits: Edit[] = [{ op: "insert_after", at: ref(literal, 2), lines: ['const mark = "[redacted]";'] }];
  expect(mustApply({ live: literal, edits }).added).toBe(1);
});

test("a payload line with the mark of a clipped row is refused", () => {
  expect(
    mustReject({ live, edits: replaceLine2("abc… [clipped: 2000 of 9000 characters shown]") }).reason,
  ).toBe("clipped");
});

test("a NUL is refused; a lone surrogate is written as U+FFFD, and reported", () => {
  expect(mustReject({ live, edits: replaceLine2("a\0b") }).reason).toBe("not_text");
  const result = mustApply({ live, edits: replaceLine2("  a\ud800b 😀") });
  expect(result.text).toContain("a\ufffdb 😀\n");
  expect(result.warnings).toEqual([expect.stringContaining("U+FFFD")]);
});
