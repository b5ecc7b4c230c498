import { expect, test } from "vitest";
import { diffCounts } from "../../../shared/session/diff-counts.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { changesSinceInWords } from "../../../shared/session/session-summary.ts";

test("a diff is counted by file: lines that look like headers within a hunk are lines, and a binary file has none", () => {
  const diff = [
    "diff --git a/a b.ts b/a b.ts",
    "index 1..2 100644",
    "--- a/a b.ts",
    "+++ b/a b.ts",
    "@@ -1,3 +1,3 @@",
    " same",
    "--- removed",
    "+++ added",
    "+more",
    "diff --git a/logo.png b/logo.png",
    "Binary files a/logo.png and b/logo.png differ",
  ].join("\n");
  expect(diffCounts(diff)).toEqual({
    "a b.ts": { added: 2, removed: 1 },
    "logo.png": { added: 0, removed: 0 },
  });
  expect(diffCounts("")).toEqual({});
});

test("changes count from the newest commit on, which is named with its branch", () => {
  const { head } = emptySession();
  const committed = { hash: "3bcb267", branch: "handrail/limit", snapshot: "s" };
  expect(changesSinceInWords({ ...head, committed })).toBe(
    "Committed 3bcb267 on handrail/limit · 0 files since",
  );
  const changes = { "a.ts": { added: 2, removed: 1 } };
  expect(changesSinceInWords({ ...head, committed, changes })).toBe(
    "Committed 3bcb267 on handrail/limit · 1 file, +2 −1 since",
  );
});
