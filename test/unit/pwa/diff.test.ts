import { describe, expect, test } from "vitest";
import { parseDiff } from "../../../pwa/diff/parse-diff.ts";
import { wordDiff } from "../../../pwa/diff/word-diff.ts";
import { shownDiff } from "../../../sandbox/ops/change/shown-diff.ts";
import { unifiedDiff } from "../../../shared/hashline/diff.ts";

const two = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,3 @@ function x
 one
--- two
+++ two
 three
\\ No newline at end of file
diff --git a/b.txt b/b.txt
new file mode 100644
--- /dev/null
+++ b/b.txt
@@ -0,0 +1 @@
+hello
diff --git a/old.ts b/new.ts
rename from old.ts
rename to new.ts
diff --git a/i.png b/i.png
Binary files a/i.png and b/i.png differ
`;

describe("a unified diff", () => {
  test("has its files, what happened to them, and their counts", () => {
    expect(parseDiff(two).map(({ path, status, added, removed }) => [path, status, added, removed])).toEqual([
      ["src/a.ts", "changed", 1, 1],
      ["b.txt", "new", 1, 0],
      ["new.ts", "renamed", 0, 0],
      ["i.png", "binary", 0, 0],
    ]);
  });

  test("numbers its lines, and lines that look like headers are lines", () => {
    expect(parseDiff(two)[0]?.hunks[0]?.lines).toEqual([
      { kind: "same", number: 1, text: "one" },
      { kind: "removed", number: 2, text: "-- two" },
      { kind: "added", number: 2, text: "++ two" },
      { kind: "same", number: 3, text: "three" },
    ]);
  });

  test("that was cut says so, and what follows it belongs to the next file", () => {
    const [long, short] = ["a", "b"].map((name) => {
      const text = Array.from({ length: 40_000 }, (_, index) => `${name} ${index}`).join("\n");
      return name === "a"
        ? shownDiff(unifiedDiff("", text, null, name))
        : unifiedDiff("x\n", "y\n", name, name);
    });
    const files = parseDiff(`${long}\n${short}`);
    const shown = files[0]?.hunks[0]?.lines.length ?? 0;
    expect(shown).toBeGreaterThan(10_000);
    expect(files[0]?.cut).toMatch(/^\d+ more lines not shown$/);
    expect(files.map(({ path, added, cut }) => [path, added, cut === undefined])).toEqual([
      ["a", shown, false],
      ["b", 1, true],
    ]);
  });

  test("without git's own lines is read as well", () => {
    const plain = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n";
    expect(parseDiff(plain).map(({ path }) => path)).toEqual(["x", "y"]);
  });
});

describe("changed words", () => {
  test("are marked on both sides", () => {
    const words = wordDiff("return next(req)", "return next(req, token)");
    expect(words?.after.filter(({ changed }) => changed)).toEqual([{ text: ", token", changed: true }]);
    expect(words?.before.every(({ changed }) => !changed)).toBe(true);
  });

  test("are not marked between lines that have little in common", () => {
    expect(wordDiff("import fs from 'node:fs'", "}")).toBeUndefined();
  });
});
