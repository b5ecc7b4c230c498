// The part of a difference that is committed when a person chooses hunks.
import { expect, test } from "vitest";
import { chosenPatch } from "../../sandbox/delivery/chosen-patch.ts";
import type { Uncommitted } from "../../sandbox/delivery/uncommitted.ts";

const ids = (letter: string) => `${letter.repeat(40)}..${letter.toUpperCase().repeat(40)}`;
const head = (path: string, seen: string) =>
  `diff --git a/${path} b/${path}\nindex ${seen} 100644\n--- a/${path}\n+++ b/${path}\n`;
const hunk = (at: number, word: string) => `@@ -${at} +${at} @@\n-old\n+${word}\n`;

/** Each file has two hunks, `PATH-1` and `PATH-2`. */
function differing(files: Record<string, string>): Uncommitted {
  const all = Object.entries(files).map(([path, seen]) => ({ path, seen, was: "", is: "", modes: [] }));
  const patch = all
    .map(({ path, seen }) => head(path, seen) + hunk(1, `${path}-1`) + hunk(9, `${path}-2`))
    .join("");
  return { files: all, patch, truncated: false };
}
const [one, two] = [ids("a"), ids("b")];

test("each file's hunks come from its own part of the diff, even if two files changed alike", () => {
  const found = differing({ "a.ts": one, "b.ts": two, "c.ts": one });
  const wanted = ["c.ts", "b.ts", "a.ts"].map((path, at) => ({
    ...{ path, seen: path === "b.ts" ? two : one },
    hunk: at === 1 ? 2 : 1,
  }));
  const [a, b, c] = [
    head("a.ts", one) + hunk(1, "a.ts-1"),
    head("b.ts", two) + hunk(9, "b.ts-2"),
    head("c.ts", one) + hunk(1, "c.ts-1"),
  ];
  expect(chosenPatch(found, wanted)).toEqual({ patch: [c, b, a].join(""), files: [] });
});

test("a file that is chosen whole and by a hunk is chosen whole", () => {
  const wanted = [
    { path: "a.ts", seen: one, hunk: 1 },
    { path: "a.ts", seen: one },
  ];
  expect(chosenPatch(differing({ "a.ts": one }), wanted)).toEqual({ patch: "", files: ["a.ts"] });
});

test.each([
  ["that is not what the person saw", "stale_file", differing({ "a.ts": two }), 1],
  ["that is no longer among the changes", "stale_file", differing({ "b.ts": one }), 1],
  ["of a difference that was cut", "not_text", { ...differing({ "a.ts": one }), truncated: true }, 1],
  ["of a file that is no UTF-8", "not_text", differing({ "a.ts": one }), 1],
  ["that the file does not have", "not_found", differing({ "a.ts": one }), 3],
])("a hunk %s is refused", (name, code, found, number) => {
  const patch = name.includes("UTF-8") ? found.patch.replace("a.ts-2", "\ufffd") : found.patch;
  const choose = () => chosenPatch({ ...found, patch }, [{ path: "a.ts", seen: one, hunk: number }]);
  expect(choose).toThrow(expect.objectContaining({ code }));
});
