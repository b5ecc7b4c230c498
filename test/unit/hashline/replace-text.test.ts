import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEdits } from "../../../shared/hashline/apply.ts";
import type { Edit } from "../../../shared/hashline/edit.ts";
import { runs } from "../../harness/runs.ts";
import { mustApply, mustReject, ref } from "./text-of.ts";

const swap = (old: string, now: string, all?: boolean): Edit => ({
  op: "replace_text",
  old,
  new: now,
  ...(all === undefined ? {} : { all }),
});

test("one exact match is replaced, within a line and across lines", () => {
  const live = "let a = 1;\nlet b = 2;\nlet c = 3;\n";
  expect(mustApply({ live, edits: [swap("b = 2", "b = 20")] }).text).toBe(
    "let a = 1;\nlet b = 20;\nlet c = 3;\n",
  );
  expect(mustApply({ live, edits: [swap("1;\nlet b = 2;\n", "1;\n")] }).text).toBe(
    "let a = 1;\nlet c = 3;\n",
  );
  expect(mustApply({ live, edits: [swap("\nlet b = 2;", "")] }).text).toBe("let a = 1;\nlet c = 3;\n");
  expect(mustApply({ live, edits: [swap(";\nlet c", ", c")] }).text).toBe("let a = 1;\nlet b = 2, c = 3;\n");
});

test("no match, several matches, overlapping matches, an empty text and no difference are refused by name", () => {
  const live = "aaa\nbb\nbb\n";
  const reason = (edit: Edit): string => mustReject({ live, edits: [edit] }).reason;
  expect(reason(swap("zz", "y"))).toBe("not_found");
  expect(reason(swap("bb", "y"))).toBe("ambiguous");
  expect(reason(swap("aa", "y"))).toBe("ambiguous");
  expect(reason(swap("", "y"))).toBe("not_found");
  expect(reason(swap("aaa", "aaa"))).toBe("no_change");
  expect(reason(swap(" aaa", "y"))).toBe("not_found");
  expect(mustReject({ live, edits: [swap("bb", "y")] }).message).toContain("lines 2, 3");
});

test("a refusal shows where the text may have been meant, and all places where it occurs", () => {
  const live = "head\n\n  first line\n  second line\n}\ntail\n";
  const meant = mustReject({ live, edits: [swap("first line\n    second line", "x")] });
  expect(meant.message).toContain(`${ref(live, 3)}|  first line\n${ref(live, 4)}|  second line`);
  const twice = `${live}${live}`;
  const unclear = mustReject({ live: twice, edits: [swap("second", "x")] });
  expect(unclear.message).toContain(`${ref(twice, 4)}|`);
  expect(unclear.message).toContain(`${ref(twice, 10)}|`);
  const newer = mustReject({ base: "a\n", live: "b\n", edits: [swap("b", "x")] });
  expect(newer.message).toContain("as it is now");
});

test("`all` replaces every match", () => {
  const live = "x = x + x\ny\nx\n";
  expect(mustApply({ live, edits: [swap("x", "z", true)] }).text).toBe("z = z + z\ny\nz\n");
  expect(mustApply({ live: "aaaa\n", edits: [swap("aa", "b", true)] }).text).toBe("bb\n");
  expect(mustApply({ live: "a\nb\nc\n", edits: [swap("\n", ", ", true)] }).text).toBe("a, b, c, \n");
});

test("several on one line are applied together; where they overlap each other or a line edit, nothing is", () => {
  const live = "one two three\nfour\n";
  expect(mustApply({ live, edits: [swap("three", "3"), swap("one", "1")] }).text).toBe("1 two 3\nfour\n");
  expect(mustReject({ live, edits: [swap("one two", "1"), swap("two three", "3")] }).problems).toEqual([
    { reason: "overlap", edit: 1, text: "overlaps edits[0] on line 1" },
  ]);
  const both: Edit[] = [swap("two", "2"), { op: "replace", at: ref(live, 1), lines: ["x"] }];
  expect(mustReject({ live, edits: both }).problems[0]?.reason).toBe("overlap");
  const joining: Edit[] = [swap("three\n", "3 "), { op: "delete", at: ref(live, 2) }];
  expect(mustReject({ live, edits: joining }).problems[0]?.reason).toBe("overlap");
});

test("rows pasted with their real prefixes are found without them", () => {
  const live = "alpha\nbeta\n";
  const rows = `${ref(live, 1)}|alpha\n${ref(live, 2)}|beta`;
  expect(mustApply({ live, edits: [swap(rows, "gamma")] }).text).toBe("gamma\n");
});

test("the result equals replacing in the text itself", { tags: "random" }, () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "\n", "ab", "\n\n", "c"), { minLength: 1, maxLength: 20 })
    .map((parts) => parts.join(""));
  const needle = fc
    .array(fc.constantFrom("a", "b", "\n", "c"), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, needle, needle, fc.boolean(), (body, old, now, all) => {
      // Without a final newline, which is never removed. Another test covers it.
      const live = `${body}|`;
      const result = applyEdits({ live, edits: [swap(old, now, all)] });
      const first = live.indexOf(old);
      const single = first >= 0 && live.indexOf(old, first + 1) < 0;
      if (result.ok) {
        expect(all || single).toBe(true);
        expect(result.text).toBe(all ? live.replaceAll(old, () => now) : live.replace(old, () => now));
      } else if (first < 0) {
        expect(["not_found", "no_change"]).toContain(result.reason);
      } else if (!single && !all) {
        expect(result.reason).toBe("ambiguous");
      } else {
        expect(result.reason).toBe("no_change");
      }
    }),
    { numRuns: runs(3_000, 300) },
  );
});

test("in a changed file it is applied where its lines moved, and not where they changed", () => {
  const base = "head\nlet a = 1;\nlet b = 2;\ntail\n";
  const edits = [swap("a = 1;\nlet b", "a = 9;\nlet b")];
  expect(mustApply({ base, live: `new\n${base}`, edits }).text).toBe(
    "new\nhead\nlet a = 9;\nlet b = 2;\ntail\n",
  );
  const atEnd = mustApply({ base, live: `new\n${base}`, edits: [swap("tail\n", "end")] });
  expect(atEnd.text.endsWith("let b = 2;\nend\n")).toBe(true);
  const followed = mustApply({ base, live: `${base}more\n`, edits: [swap("tail\n", "end")] });
  expect(followed.text.endsWith("let b = 2;\nend\nmore\n")).toBe(true);
  const touched = mustReject({ base, live: base.replace("b = 2", "b = 3"), edits });
  expect(touched).toMatchObject({ code: "stale_file", reason: "stale_lines" });
});

test("a line of 5 MB can be changed where it was shown and nowhere else", () => {
  const live = `start ${"x".repeat(5_000_000)} needle\nnext\n`;
  expect(mustApply({ live, edits: [swap("start", "begin")] }).text.startsWith("begin x")).toBe(true);
  expect(mustReject({ live, edits: [swap("needle", "pin")] }).reason).toBe("clipped");
  expect(mustReject({ live, edits: [{ op: "replace", at: ref(live, 1), lines: ["short"] }] }).reason).toBe(
    "clipped",
  );
  expect(mustReject({ live, edits: [{ op: "delete", at: ref(live, 1), to: ref(live, 2) }] }).reason).toBe(
    "clipped",
  );
  const after = mustApply({ live, edits: [{ op: "insert_after", at: ref(live, 1), lines: ["between"] }] });
  expect(after.text.endsWith("needle\nbetween\nnext\n")).toBe(true);
  expect(after.rows.length).toBeLessThan(5_000);
});

test("a text in every line of a long file is replaced in all of them, line ends too", () => {
  const live = "some line\n".repeat(130_000);
  expect(mustApply({ live, edits: [swap("line", "row", true)] }).text).toBe("some row\n".repeat(130_000));
  const joined = mustApply({ live, edits: [swap("line\n", "row, ", true)] }).text;
  expect(joined).toBe(`${"some row, ".repeat(130_000)}\n`);
});

test("a text with absurdly many matches is refused before they fill the memory", () => {
  const live = `${"e".repeat(1_000)}\n`.repeat(2_000);
  for (const all of [true, false]) {
    const refusal = mustReject({ live, edits: [swap("e", "f", all)] });
    expect(refusal).toMatchObject({ code: "invalid_request", reason: "ambiguous" });
    expect(refusal.message).toContain("more than 200000 times");
  }
});

test("in a clipped line the last visible character can be changed, the first hidden one cannot", () => {
  const input = { live: "abcdefgh\n", maxLineChars: 5 };
  expect(mustApply({ ...input, edits: [swap("de", "DE")] }).text).toBe("abcDEfgh\n");
  expect(mustReject({ ...input, edits: [swap("ef", "EF")] }).reason).toBe("clipped");
});

describe("a text that does not occur", () => {
  const live = "class A {\n\tconstructor(request) {\n\t\tsuper(`Request timed out: url`);\n\t}\n}\n";

  test("is refused with the line that has most of its words", () => {
    const { message } = mustReject({ live, edits: [swap("super('Request timed out: ')", "x")] });
    expect(message).toContain("super(`Request timed out: url`);");
    expect(message).toContain("take `old` from here");
  });

  test.each([
    ["spaces for a tab", "    constructor(request) {"],
    [
      "the row prefixes of what was read",
      "2|\tconstructor(request) {\n3|\t\tsuper(`Request timed out: url`);",
    ],
  ])("is distinguished where only indentation or prefixes differ: %s", (_, old) => {
    const { message } = mustReject({ live, edits: [swap(old, "x")] });
    expect(message).toContain("its indentation differs, or it holds row prefixes");
    expect(message).toContain("constructor(request) {");
  });

  test("is refused without rows where nothing resembles it", () => {
    expect(mustReject({ live, edits: [swap("nothing of this kind", "x")] }).message).not.toContain(
      "constructor",
    );
  });
});
