import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { byteLength, clip } from "../../../functions/calls/clip.ts";
import { execText } from "../../../functions/tools/run-command.ts";
import { findTool } from "../../../functions/tools/tool-index.ts";
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
  Array.from({ length: to - from + 1 }, (_, n) => `${from + n}abc|const value = ${from + n};`).join("\n");

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
  test("stands under its header", () => {
    const { text, facts } = answer("read_file", file(1, 2, 2, false));
    expect(text).toBe("[a.ts @v1 lines 1-2 of 2]\n1abc|const value = 1;\n2abc|const value = 2;");
    expect(facts).toEqual({ path: "a.ts", start: 1, end: 2, total: 2, ms: 7 });
  });

  test("says how to read on", () => {
    expect(answer("read_file", file(1, 3, 90, true)).text).toMatch(
      /\n\[lines 4-90 not shown: read on with start=4\]$/,
    );
  });

  test("that is too long keeps whole rows of head and tail, and names exactly those that are missing", () => {
    const { text } = answer("read_file", file(101, 2_100, 9_000, true));
    expect(byteLength(text)).toBeLessThanOrEqual(maxBytes);
    const shown = [...text.matchAll(/^(\d+)abc\|const value = \1;$/gm)].map((match) => Number(match[1]));
    const gap = /lines (\d+)-(\d+) not shown: read them with start=\1, end=\2/.exec(text);
    const [first, last] = [Number(gap?.[1]), Number(gap?.[2])];
    const expected = Array.from({ length: 2_000 }, (_, n) => n + 101).filter((n) => n < first || n > last);
    expect(shown).toEqual(expected);
    expect(shown[0]).toBe(101);
    expect(shown.at(-1)).toBe(2_100);
    expect(text).toContain("lines 2101-9000 not shown: read on with start=2101");
  });
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

  test("with much output keeps its exit, first and last lines, and says how to see the rest", () => {
    const stdout = Array.from({ length: 9_000 }, (_, n) => `line ${n}`).join("\n");
    const text = ran({ exitCode: 2, stdout });
    expect(byteLength(text)).toBeLessThanOrEqual(maxBytes);
    expect(text).toMatch(/^exit 2\nline 0\n/);
    expect(text).toMatch(/\nline 8999$/);
    expect(text).toMatch(/\[… \d+ bytes \(\d+ lines\) cut: narrow it with head, tail or grep …\]/);
  });

  test("whose output the sandbox has cut says so", () => {
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

  test("matches", () => {
    const matches = [{ path: "a.ts", version: "v1", rows: "1abc|x" }];
    expect(answer("search_files", { matches, truncated: false }).text).toBe("[a.ts @v1]\n1abc|x");
    expect(answer("search_files", { matches: [], truncated: false }).text).toBe("no matches");
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

  test("a rejection stands as it is; another failure begins with error", () => {
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
