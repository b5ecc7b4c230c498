import fc from "fast-check";
import { expect, test } from "vitest";
import { applyEdits } from "../../../shared/hashline/apply.ts";
import type { Edit } from "../../../shared/hashline/edit.ts";
import { splitText } from "../../../shared/hashline/text.ts";
import { runs } from "../../harness/runs.ts";
import { mustApply, mustReject, ref } from "./text-of.ts";

const text = "one\ntwo\nthree\nfour\nfive\n";
const at = (number: number): string => ref(text, number);

test("each operation does what its name says, always with the line numbers of the base", () => {
  const edits: Edit[] = [
    { op: "prepend", lines: ["zero"] },
    { op: "insert_before", at: at(2), lines: ["before two"] },
    { op: "replace", at: at(2), lines: ["TWO", "two and a half"] },
    { op: "insert_after", at: at(2), lines: ["after two"] },
    { op: "delete", at: at(3), to: at(4) },
    { op: "append", lines: ["six"] },
  ];
  const result = mustApply({ live: text, edits });
  expect(result.text).toBe("zero\none\nbefore two\nTWO\ntwo and a half\nafter two\nfive\nsix\n");
  expect(mustApply({ live: text, edits: edits.toReversed() }).text).toBe(result.text);
});

test("success reports counts, regions, and the rows of each region with two around it", () => {
  const long = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join("");
  const result = mustApply({
    live: long,
    edits: [
      { op: "replace", at: ref(long, 4), to: ref(long, 5), lines: ["new 4"] },
      { op: "delete", at: ref(long, 15) },
    ],
  });
  expect(result).toMatchObject({
    added: 1,
    removed: 3,
    regions: [
      { start: 4, end: 4 },
      { start: 14, end: 13 },
    ],
  });
  const now = result.text;
  const row = (number: number): string => `${ref(now, number)}|${now.split("\n")[number - 1]}`;
  expect(result.rows).toBe([...[2, 3, 4, 5, 6].map(row), "...", ...[12, 13, 14, 15].map(row)].join("\n"));
  expect(result.warnings).toEqual([]);
});

/** One edit for every single line, so that the request contains no run of lines. */
const eachLine = (live: string, line: (index: number) => string): Edit[] =>
  splitText(live).lines.map((_, index) => ({
    op: "replace",
    at: ref(live, index + 1),
    lines: [line(index)],
  }));

test("a region of many rows is shown by its head and tail", () => {
  const live = "old\n".repeat(1_000);
  const { rows } = mustApply({ live, edits: eachLine(live, (index) => `new ${index}`) });
  expect(rows).toContain("... 880 rows not shown");
  expect(rows).toContain("|new 999");
  expect(rows.split("\n").length).toBeLessThan(150);
});

test("of rows that were just sent the ends are shown, for references to them", () => {
  const lines = Array.from({ length: 34 }, (_, index) => `new ${index}`);
  const shown = (edits: Edit[]): string[] =>
    mustApply({ live: text, edits })
      .rows.split("\n")
      .map((row) => row.replace(/^\d+[a-z]{3}\|/, ""));
  const middle = ["new 0", "new 1", "… 30 rows as sent", "new 32", "new 33"];
  expect(shown([{ op: "replace", at: at(3), lines }])).toEqual(["one", "two", ...middle, "four", "five"]);
  expect(shown([{ op: "append", lines }])).toEqual(["four", "five", ...middle]);
  // If the beginning of a payload was in the file already, it is not shown.
  expect(shown([{ op: "replace", at: at(3), lines: ["three", ...lines] }])).toEqual([
    ...["two", "three", ...middle, "four", "five"],
  ]);
  // The first and the last line of a replaced text also contain parts of the file.
  const replaced = shown([{ op: "replace_text", old: "ree", new: `ree\n${lines.join("\n")}` }]);
  expect(replaced).toEqual([
    ...["two", "three", "new 0", "new 1", "… 29 rows as sent", "new 31", "new 32", "new 33", "four", "five"],
  ]);
  expect(shown([{ op: "replace", at: at(3), lines: lines.slice(0, 7) }])).toHaveLength(11);
});

test("regions of very long lines are shown as far as a tool result can hold", () => {
  const note = "\n... more rows not shown";
  for (const width of [1_500, 110]) {
    const live = "old\n".repeat(118);
    const { rows } = mustApply({ live, edits: eachLine(live, () => "y".repeat(width)) });
    expect(rows.endsWith(note)).toBe(true);
    expect(rows.length).toBeLessThanOrEqual(12_000 + note.length);
    expect(rows.length).toBeGreaterThan(12_000 - 2 * width);
  }
});

test("payload lines that are already there are not a change", () => {
  const result = mustApply({
    live: text,
    edits: [{ op: "replace", at: at(1), to: at(4), lines: ["one", "two", "3", "four"] }],
  });
  expect(result).toMatchObject({ added: 1, removed: 1, regions: [{ start: 3, end: 3 }] });
});

test("a request that changes nothing is refused, and the third time as an error of its own", () => {
  const edits: Edit[] = [{ op: "replace", at: at(2), lines: ["two"] }];
  const first = mustReject({ live: text, edits });
  expect(first).toMatchObject({ code: "invalid_request", reason: "no_change", problems: [{ edit: 0 }] });
  const two: Edit[] = [...edits, { op: "insert_after", at: at(3), lines: [] }];
  expect(mustReject({ live: text, edits: two }).problems).toMatchObject([{ reason: "no_change", edit: -1 }]);
  expect(mustReject({ live: text, edits, earlierNoChanges: 1 }).reason).toBe("no_change");
  const third = mustReject({ live: text, edits, earlierNoChanges: 2 });
  expect(third.reason).toBe("no_change_repeated");
  expect(third.message).toContain("3 times");
  expect(mustReject({ live: text, edits: [] }).reason).toBe("no_change");
});

test("an edit without effect among effective ones is only reported", () => {
  const result = mustApply({
    live: text,
    edits: [
      { op: "replace", at: at(2), lines: ["two"] },
      { op: "delete", at: at(5) },
    ],
  });
  expect(result.text).toBe("one\ntwo\nthree\nfour\n");
  expect(result.warnings).toEqual([expect.stringContaining("edits[0] replace")]);
});

test("an empty file accepts lines at its ends, and a file can be emptied", () => {
  expect(mustApply({ live: "", edits: [{ op: "append", lines: ["a", "b"] }] }).text).toBe("a\nb\n");
  expect(
    mustApply({
      live: "",
      edits: [
        { op: "prepend", lines: ["a"] },
        { op: "append", lines: ["b"] },
      ],
    }).text,
  ).toBe("a\nb\n");
  const emptied = mustApply({ live: text, edits: [{ op: "delete", at: at(1), to: at(5) }] });
  expect(emptied).toMatchObject({ text: "", rows: "", removed: 5, regions: [{ start: 1, end: 0 }] });
});

test("for random files and edits the result equals plain splicing from the bottom", {
  tags: "random",
}, () => {
  const line = fc.constantFrom("", "a", "b", "  c", "}", '1: "one"', "- item", "# Note:");
  const kinds = fc.constantFrom("replace", "delete", "insert_before", "insert_after");
  const wish = fc.record({
    kind: kinds,
    from: fc.nat(30),
    more: fc.nat(3),
    lines: fc.array(line, { maxLength: 4 }),
  });
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 30 }),
      fc.array(wish, { minLength: 1, maxLength: 6 }),
      (base, wishes) => {
        const live = base.map((one) => `${one}\n`).join("");
        const edits: Edit[] = [];
        const expected = [...base];
        let below = base.length;
        for (const { kind, from, more, lines } of wishes) {
          // Edits go from the end of the file upwards, each above the previous one, so that they never
          // overlap.
          const last = below - 1 - (from % 4);
          const first = kind === "replace" || kind === "delete" ? Math.max(0, last - more) : last;
          if (last < 0) break;
          below = first - 1;
          const [start, end] = [ref(live, first + 1), ref(live, last + 1)];
          if (kind === "replace") edits.push({ op: kind, at: start, to: end, lines });
          else if (kind === "delete") edits.push({ op: kind, at: start, to: end });
          else edits.push({ op: kind, at: start, lines });
          if (kind === "insert_before") expected.splice(first, 0, ...lines);
          else if (kind === "insert_after") expected.splice(first + 1, 0, ...lines);
          else expected.splice(first, last - first + 1, ...(kind === "replace" ? lines : []));
        }
        const wanted = expected.map((one) => `${one}\n`).join("");
        const result = applyEdits({ live, edits });
        if (result.ok) expect(result.text).toBe(wanted);
        else expect([wanted, result.reason]).toEqual([live, "no_change"]);
      },
    ),
    { numRuns: runs(2_000, 200) },
  );
});

test("200,000 lines take edits at both ends and in the middle", () => {
  const lines = Array.from({ length: 200_000 }, (_, index) => `line ${index}`);
  const live = `${lines.join("\n")}\n`;
  const result = mustApply({
    live,
    edits: [1, 100_000, 200_000].map((number) => ({
      op: "replace",
      at: ref(live, number),
      lines: [`new ${number}`],
    })),
  });
  expect(result).toMatchObject({ added: 3, removed: 3 });
  expect(result.text.split("\n")[99_999]).toBe("new 100000");
});
