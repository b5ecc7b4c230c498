import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { countChanges, diffLines, unifiedDiff } from "../../../shared/hashline/diff.ts";

const folder = mkdtempSync(join(tmpdir(), "hashline-diff-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lines = fc.array(fc.constantFrom("a", "b", "c", "", "d"), { maxLength: 16 });

function commonLength(one: readonly string[], other: readonly string[]): number {
  const table = one.map(() => new Array<number>(other.length + 1).fill(0));
  const at = (x: number, y: number): number => table[x]?.[y] ?? 0;
  for (let x = one.length - 1; x >= 0; x -= 1) {
    for (let y = other.length - 1; y >= 0; y -= 1) {
      const row = table[x] ?? [];
      row[y] = one[x] === other[y] ? at(x + 1, y + 1) + 1 : Math.max(at(x + 1, y), at(x, y + 1));
    }
  }
  return at(0, 0);
}

test("a diff turns one text into the other and is a shortest one", () => {
  fc.assert(
    fc.property(lines, lines, (old, now) => {
      const hunks = diffLines(old, now);
      const rebuilt: string[] = [];
      let at = 0;
      for (const hunk of hunks) {
        rebuilt.push(...old.slice(at, hunk.oldFrom), ...now.slice(hunk.newFrom, hunk.newTo));
        at = hunk.oldTo;
      }
      expect([...rebuilt, ...old.slice(at)]).toEqual(now);
      const removed = hunks.reduce((sum, hunk) => sum + hunk.oldTo - hunk.oldFrom, 0);
      expect(old.length - removed).toBe(commonLength(old, now));
    }),
    { numRuns: 2_000 },
  );
});

test("a change with several possible places is put in the last", () => {
  const hunks = diffLines([..."1baab2"], [..."2bab3"]);
  expect(hunks.map(({ oldFrom, oldTo }) => [oldFrom, oldTo])).toEqual([
    [0, 1],
    [3, 4],
    [5, 6],
  ]);
});

test("a diff beyond the allowed work is still correct", () => {
  const old = Array.from({ length: 500 }, (_, index) => String((index * 7) % 11));
  const now = Array.from({ length: 500 }, (_, index) => String((index * 3) % 11));
  expect(diffLines(["x", ...old, "y"], ["x", ...now, "y"], 10).at(0)?.oldFrom).toBeGreaterThan(0);
});

test("git applies the unified text and gets the new file, byte for byte", () => {
  const body = fc.tuple(lines, fc.constantFrom("\n", "\r\n"), fc.boolean()).map(([all, end, cut]) => {
    const text = all.map((line) => line + end).join("");
    return cut ? `${text}last` : text;
  });
  fc.assert(
    fc.property(body, body, (old, now) => {
      fc.pre(old !== now && old !== "" && now !== "");
      const file = join(folder, "a file.txt");
      writeFileSync(file, old);
      const patch = unifiedDiff(old, now, "a file.txt", "a file.txt");
      execFileSync("git", ["apply", "--whitespace=nowarn", "-"], {
        cwd: folder,
        input: patch,
        stdio: ["pipe", "pipe", "ignore"],
      });
      expect(readFileSync(file, "utf8")).toBe(now);
    }),
    { numRuns: 25 },
  );
});

test("the format is git's: headers, counts, context of three, missing newlines", () => {
  const old = "1\n2\n3\n4\n5\n6\n7\n8\n9\nend";
  const now = "1\n2\n3\n4\nfive\n6\n7\n8\n9\nend\n";
  expect(unifiedDiff(old, now, "x.ts", "x.ts")).toBe(
    [
      "--- a/x.ts",
      "+++ b/x.ts",
      "@@ -2,9 +2,9 @@",
      ...[
        " 2",
        " 3",
        " 4",
        "-5",
        "+five",
        " 6",
        " 7",
        " 8",
        " 9",
        "-end",
        "\\ No newline at end of file",
        "+end",
        "",
      ],
    ].join("\n"),
  );
  expect(unifiedDiff("", "a\n", null, "new.ts")).toBe("--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+a\n");
  expect(unifiedDiff("a\nb\n", "", "old.ts", null)).toBe(
    "--- a/old.ts\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n",
  );
  expect(unifiedDiff("a\n", "a\n", "x", "x")).toBe("");
  expect(unifiedDiff("a\n", "a\n", "x", "y")).toBe("--- a/x\n+++ b/y\n");
  expect(unifiedDiff("a\n", "b\n", "a b", "a b").startsWith("--- a/a b\t\n+++ b/a b\t\n")).toBe(true);
  expect(unifiedDiff("a\n", "b\n", 'q"\n', 'q"\n')).toContain('--- "a/q\\"\\n"\n');
});

test("distant changes make two hunks, close ones one", () => {
  const old = Array.from({ length: 30 }, (_, index) => `${index}\n`);
  const count = (first: number, second: number): number => {
    const now = old.map((line, index) => (index === first || index === second ? `x${line}` : line));
    return unifiedDiff(old.join(""), now.join(""), "f", "f").match(/^@@/gm)?.length ?? 0;
  };
  expect(count(5, 12)).toBe(1);
  expect(count(5, 13)).toBe(2);
});

test("counts are those of the diff, a lost BOM and a new final newline included", () => {
  expect(countChanges("a\nb\nc\n", "a\nX\nY\nc\n")).toEqual({ added: 2, removed: 1 });
  expect(countChanges("a", "a\n")).toEqual({ added: 1, removed: 1 });
  expect(countChanges("\ufeffa\n", "a\n")).toEqual({ added: 1, removed: 1 });
  expect(countChanges("", "")).toEqual({ added: 0, removed: 0 });
  expect(countChanges("", "a\nb")).toEqual({ added: 2, removed: 0 });
});

test("an inserted copy is shown as late as possible", () => {
  const old = ["f() {", "}", "", "g() {", "}"];
  const now = ["f() {", "}", "", "h() {", "}", "", "g() {", "}"];
  expect(diffLines(old, now)).toEqual([{ oldFrom: 3, oldTo: 3, newFrom: 3, newTo: 6 }]);
});

test("a new file of 200,000 lines has a diff", () => {
  const diff = unifiedDiff("", "x\n".repeat(200_000), null, "big.txt");
  expect(diff.split("\n").filter((line) => line === "+x")).toHaveLength(200_000);
});
