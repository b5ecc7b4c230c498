import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { byteLength, clip } from "../../../functions/calls/result-text.ts";
import { parseRanges } from "../../../functions/tools/line-ranges.ts";
import { execText } from "../../../functions/tools/run-command.ts";
import { findTool } from "../../../functions/tools/tool-index.ts";
import { parseReference } from "../../../shared/hashline/rows.ts";
import type { CallResult, ExecValue } from "../../../shared/sandbox.ts";

const maxBytes = 16 * 1024;

function resultText(name: string, result: CallResult) {
  const tool = findTool(name);
  if (tool?.kind !== "sandbox") throw new Error(`${name} is no tool of the sandbox`);
  return tool.resultText(result);
}

const answer = (name: string, value: unknown) =>
  resultText(name, { key: "k", ok: true, value, replayed: false, at: 1, ms: 7 });

const refusal = (message: string) =>
  resultText("edit_file", {
    key: "k",
    ok: false,
    error: { code: "stale_file", message },
    replayed: false,
    at: 1,
    ms: 7,
  });

const ran = (patch: Partial<ExecValue>): string =>
  execText({
    exitCode: 0,
    signal: null,
    timedOut: false,
    stdout: "",
    stderr: "",
    truncated: false,
    ...patch,
  });

const rows = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `${from + n}ans|const value = ${from + n};`).join("\n");

const file = (start: number, end: number, total: number, truncated: boolean) => ({
  path: "a.ts",
  version: "v1",
  start,
  end,
  total,
  rows: rows(start, end),
  truncated,
});

describe("a file that was read", () => {
  test("is below its header", () => {
    const { text, facts } = answer("read_file", file(1, 2, 2, false));
    expect(text).toBe("[a.ts @v1 lines 1-2 of 2]\n1ans|const value = 1;\n2ans|const value = 2;");
    expect(facts).toEqual({ path: "a.ts", start: 1, end: 2, total: 2, ms: 7 });
  });

  test("says how to read on", () => {
    expect(answer("read_file", file(1, 3, 90, true)).text).toMatch(/\n\[cut: read on with lines=4-90\]$/);
  });

  test("that is too long is cut at its end, and names what is missing", () => {
    const { text, facts } = answer("read_file", file(101, 2_100, 9_000, true));
    expect(byteLength(text)).toBeLessThanOrEqual(maxBytes);
    expect(byteLength(text)).toBeGreaterThan(maxBytes - 400);
    const shown = [...text.matchAll(/^(\d+)ans\|const value = \1;$/gm)].map((match) => Number(match[1]));
    const last = 100 + shown.length;
    expect(shown).toEqual(Array.from({ length: shown.length }, (_, n) => n + 101));
    expect(text).toMatch(new RegExp(`^\\[a.ts @v1 lines 101-${last} of 9000\\]\n`));
    expect(text).toMatch(new RegExp(`\\[cut: read on with lines=${last + 1}-9000\\]$`));
    expect(facts).toMatchObject({ start: 101, end: last, total: 9_000 });
  });

  test("in several ranges names them, with a mark between them, and what is left", () => {
    const value = {
      ...file(1, 302, 900, true),
      rows: [rows(1, 2), rows(300, 302)].join("\n"),
      rest: [{ start: 303, end: 310 }, { start: 700 }],
    };
    const { text } = answer("read_file", value);
    expect(text.split("\n")[0]).toBe("[a.ts @v1 lines 1-2, 300-302 of 900]");
    expect(text.split("\n")[3]).toBe("…");
    expect(text).toMatch(/\[cut: read on with lines=303-310, 700-\]$/);
  });
});

test.each([
  ["7", [{ start: 7, end: 7 }]],
  [
    "1-80, 200-260",
    [
      { start: 1, end: 80 },
      { start: 200, end: 260 },
    ],
  ],
  ["lines 5 - 9,12-", [{ start: 5, end: 9 }, { start: 12 }]],
  ["1..4", [{ start: 1, end: 4 }]],
  ["0-4", undefined],
  ["12foo", undefined],
])("ranges written as %s", (text, ranges) => {
  expect(parseRanges(text)).toEqual(ranges);
});

describe("a command that ran", () => {
  test.each([
    [{ stdout: "ok\n" }, "exit 0\nok"],
    [{ exitCode: 1, stderr: "no\n" }, "exit 1\n[stderr]\nno"],
    [{ exitCode: null, signal: "SIGKILL" }, "ended by SIGKILL\n(no output)"],
    [{ exitCode: null, timedOut: true }, "timed out\n(no output)"],
  ])("%o", (patch, text) => {
    expect(ran(patch)).toBe(text);
  });

  test("with much output keeps its exit code, first and last lines, and says how to see the rest", () => {
    const stdout = Array.from({ length: 9_000 }, (_, n) => `line ${n}`).join("\n");
    const text = ran({ exitCode: 2, stdout });
    expect(byteLength(text)).toBeLessThanOrEqual(maxBytes);
    expect(text).toMatch(/^exit 2\nline 0\n/);
    expect(text).toMatch(/\nline 8999$/);
    expect(text).toMatch(/\[… \d+ bytes \(\d+ lines\) cut: narrow it with head, tail or grep …\]/);
  });

  test("with output that the sandbox cut says so", () => {
    expect(ran({ stdout: "x", truncated: true })).toContain("longer than what is kept");
  });
});

describe("other results", () => {
  test("a listing", () => {
    const entries = [
      { path: "src", type: "dir", size: 0 },
      { path: "a.ts", type: "file", size: 12 },
    ];
    expect(answer("list_files", { entries, truncated: true }).text).toBe(
      "src/\na.ts 12\n[more entries: narrow with path, glob or depth]",
    );
    expect(answer("list_files", { entries: [], truncated: false }).text).toBe("(empty)");
  });

  test("matches are counted before anything else", () => {
    const matches = [{ path: "a.ts", version: "v1", rows: "1abc|x", total: 9, lines: [1] }];
    expect(answer("search_files", { matches, truncated: false }).text).toBe(
      "[1 match in 1 file, complete]\n[a.ts @v1 lines 1 of 9]\n1abc|x",
    );
    expect(answer("search_files", { matches, truncated: true }).text).toContain(
      "[1 match in 1 file; cut, there are more: narrow the pattern or the glob]",
    );
    expect(answer("search_files", { matches: [], truncated: false }).text).toBe("no matches");
    expect(answer("search_files", { matches: [], truncated: true }).text).toMatch(/^no matches before/);
  });

  test("matches among other rows are marked, with gaps", () => {
    const shown = [rows(3, 5), rows(20, 22)].join("\n").replaceAll("value", "v");
    const matches = [{ path: "a.ts", version: "v1", rows: shown, total: 90, lines: [4, 21] }];
    const { text } = answer("search_files", { matches, truncated: false });
    expect(text.replaceAll(/const v = \d+;/g, "").split("\n")).toEqual([
      ...["[2 matches in 1 file, complete]", "[a.ts @v1 lines 3-22 of 90]"],
      ...["3ans|", ">4ans|", "5ans|", "…", "20ans|", ">21ans|", "22ans|"],
    ]);
    expect(parseReference(">21ans")).toEqual({ line: 21, anchor: "ans" });
  });

  test("matches that do not fit are cut at the end, and counted", () => {
    const matches = Array.from({ length: 30 }, (_, n) => ({
      ...{ path: `${n}.ts`, version: "v1", rows: `1ans|${"x".repeat(800)}`, total: 1, lines: [1] },
    }));
    const { text } = answer("search_files", { matches, truncated: true });
    expect(byteLength(text)).toBeLessThanOrEqual(maxBytes);
    const shown = text.match(/^1ans/gm)?.length ?? 0;
    expect(text.split("\n")[0]).toBe(
      `[${shown} of 30 or more matches, in ${shown} of 30 files; cut: narrow the pattern or the glob]`,
    );
    expect(text.endsWith("x")).toBe(true);
  });

  test("a change, with its warnings, its rows and a diff for the card", () => {
    const changed = {
      path: "a.ts",
      version: "v2",
      added: 1,
      removed: 2,
      rows: "1abc|x",
      diff: "@@\n+x",
      warnings: ["moved"],
    };
    const { text, facts } = answer("edit_file", { files: [changed] });
    expect(text).toBe("[a.ts @v2] +1 -2\nwarning: moved\n1abc|x");
    expect(facts?.files).toEqual([{ path: "a.ts", added: 1, removed: 2, diff: "@@\n+x" }]);
  });

  test("a rejection is unchanged; another failure begins with error", () => {
    expect(refusal("REJECTED, nothing written\n1abc|x")).toMatchObject({
      ok: false,
      text: "REJECTED, nothing written\n1abc|x",
      facts: { code: "stale_file" },
    });
    expect(refusal("no such file").text).toBe("error: no such file");
  });
});

describe("clipping any text", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 4_000, size: "max" }),
    fc
      .array(fc.string({ unit: "binary", maxLength: 80 }), { maxLength: 200, size: "max" })
      .map((lines) => lines.join("\n")),
  );

  test("stays within its bytes, keeps head and tail, and changes nothing that fits", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 200, max: 3_000 }), (original, max) => {
        const clipped = clip(original, max);
        if (byteLength(original) <= max) {
          expect(clipped).toBe(original);
          return;
        }
        expect(byteLength(clipped)).toBeLessThanOrEqual(max);
        const [head = "", tail = ""] = clipped.split(/\n?\[… \d+ bytes \(\d+ lines?\) cut …\]\n?/);
        expect(clipped).toMatch(/\[… \d+ bytes \(\d+ lines?\) cut …\]/);
        expect(original.startsWith(head)).toBe(true);
        expect(original.endsWith(tail)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
