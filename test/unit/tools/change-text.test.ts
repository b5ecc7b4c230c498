// The text about a change's new lines in its result.
import { describe, expect, test } from "vitest";
import { changeText } from "../../../functions/tools/change-text.ts";

function told(diff: string): string {
  const file = { path: "a.ts", version: "v2", added: 1, removed: 0, warnings: [], rows: "2|x", diff };
  return changeText({ files: [file] }).text;
}

describe("indentation", () => {
  test.each([
    [
      "spaces among tabs",
      "@@ -1,2 +1,3 @@\n \tone\n+    two\n \tthree\n",
      "indented by spaces, and those around them by tabs",
    ],
    [
      "tabs among spaces",
      "@@ -1,2 +1,3 @@\n   one\n+\ttwo\n   three\n",
      "indented by tabs, and those around them by spaces",
    ],
  ])("%s gets a warning", (_, diff, words) => expect(told(diff)).toContain(words));

  test.each([
    ["the same indentation", "@@ -1 +1,2 @@\n \tone\n+\ttwo\n"],
    ["a file that has both", "@@ -1,2 +1,3 @@\n \tone\n   two\n+    three\n"],
    ["lines at the margin", "@@ -1 +1,2 @@\n one\n+    two\n"],
    ["a new file", "--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1,2 @@\n+one\n+    two\n"],
  ])("%s gets none", (_, diff) => expect(told(diff)).not.toContain("warning"));
});
