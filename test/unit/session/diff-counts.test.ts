import { expect, test } from "vitest";
import { commitIn, diffCounts } from "../../../shared/session/diff-counts.ts";
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

test("the last commit of an output is known by branch and hash, and changes count from there", () => {
  const output =
    "exit 0\n[main (root-commit) 1234567] Begin\n[handrail/limit 3bcb267] Add `limit`\n 6 files changed";
  const commit = commitIn(output);
  expect(commit).toEqual({ branch: "handrail/limit", hash: "3bcb267" });
  expect(commitIn("exit 1\nnothing to commit")).toBeUndefined();
  const { head } = emptySession();
  const committed = { ...commit, hash: "3bcb267", branch: "handrail/limit", snapshot: "s" };
  expect(changesSinceInWords({ ...head, committed })).toBe(
    "Committed 3bcb267 on handrail/limit · 0 files since",
  );
  const changes = { "a.ts": { added: 2, removed: 1 } };
  expect(changesSinceInWords({ ...head, committed, changes })).toBe(
    "Committed 3bcb267 on handrail/limit · 1 file, +2 −1 since",
  );
});
