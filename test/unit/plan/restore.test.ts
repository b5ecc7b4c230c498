import { expect, test } from "vitest";
import { takenBackText } from "../../../functions/plan/restore.ts";

const restored = (value: Record<string, unknown>) =>
  takenBackText({
    key: "t/0/rewind",
    ok: true,
    at: 1,
    ms: 1,
    replayed: false,
    value: { snapshot: "s", ...value },
  });

test("files that stayed, since others changed the same lines, are named beside those that were restored", () => {
  const files = [{ path: "a.ts", now: "changed" }];
  expect(restored({ files, mixed: ["b.ts"] })).toEqual([
    "Files taken back; what was read of them before is out of date:",
    "- changed back: a.ts",
    "Left as they are, for others changed the same lines: b.ts",
  ]);
  expect(restored({ files: [], mixed: ["b.ts"] })).toEqual([
    "Left as they are, for others changed the same lines: b.ts",
  ]);
  expect(restored({ files: [] })).toEqual(["No file had changed since then."]);
});
