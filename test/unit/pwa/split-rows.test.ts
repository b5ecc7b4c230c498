import { describe, expect, test } from "vitest";
import { fileTree } from "../../../pwa/changes/file-tree.ts";
import { parseDiff } from "../../../pwa/diff/parse-diff.ts";
import { type SplitSide, splitRows } from "../../../pwa/diff/split-rows.ts";

const diff = `diff --git a/a.ts b/a.ts
--- a/a.ts
+++ b/a.ts
@@ -1,4 +1,5 @@
 one
-two
-three
+zwei
+and
+more
 four
@@ -10,3 +11,2 @@
 ten
-eleven
 twelve
`;
const shown = (side: SplitSide | undefined) => side && `${side.number} ${side.line.text}`;
const rows = () =>
  (parseDiff(diff)[0]?.hunks ?? []).map((hunk) =>
    splitRows(hunk).map((row) => [shown(row.old), shown(row.new)]),
  );

describe("a hunk in two columns", () => {
  test("has removed lines beside their replacements, each with the line number in its own file", () => {
    expect(rows()).toEqual([
      [
        ["1 one", "1 one"],
        ["2 two", "2 zwei"],
        ["3 three", "3 and"],
        [undefined, "4 more"],
        ["4 four", "5 four"],
      ],
      [
        ["10 ten", "11 ten"],
        ["11 eleven", undefined],
        ["12 twelve", "12 twelve"],
      ],
    ]);
  });
});

test("changed files are a tree: folders first, in order, and a folder with a single folder in it is one line", () => {
  const files = parseDiff(
    ["z.ts", "src/deep/er/b.ts", "src/deep/er/a.ts", "docs/x.md", "docs/api/y.md", "a.ts"]
      .map((path) => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`)
      .join(""),
  );
  const lines = (tree: ReturnType<typeof fileTree>, indent = ""): string[] => [
    ...tree.folders.flatMap((folder) => [`${indent}${folder.name}/`, ...lines(folder, `${indent}  `)]),
    ...tree.files.map(({ name }) => `${indent}${name}`),
  ];
  expect(lines(fileTree(files))).toEqual([
    ...["docs/", "  api/", "    y.md", "  x.md"],
    ...["src/deep/er/", "  a.ts", "  b.ts", "a.ts", "z.ts"],
  ]);
});
