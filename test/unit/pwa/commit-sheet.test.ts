import { expect, test } from "vitest";
import { chosen, type LeftOut, partsOf, shareOf, turned } from "../../../pwa/changes/chosen-files.ts";
import { draftedMessage } from "../../../pwa/changes/commit-message.ts";
import { parseDiff } from "../../../pwa/diff/parse-diff.ts";

const [was, seen] = ["a".repeat(40), "b".repeat(40)];
const diff = (path: string, hunks: number) =>
  `diff --git a/${path} b/${path}\nindex ${was}..${seen} 100644\n--- a/${path}\n+++ b/${path}\n` +
  Array.from({ length: hunks }, (_, at) => `@@ -${at * 10 + 1} +${at * 10 + 1} @@\n-old\n+new\n`).join("");
const files = parseDiff(
  `${diff("a.ts", 3)}${diff("b.ts", 1)}diff --git a/run b/run\nold mode 100644\nnew mode 100755\n`,
);
const [a, b] = files;
const cut = parseDiff("diff --git a/cut b/cut\n");
const none: LeftOut = new Set();

test("all ticked files are named as they were seen, a new mode alone too; a file beyond the cut diff by its path", () => {
  const ids = `${was}..${seen}`;
  expect(chosen([...files, ...cut], none)).toEqual({
    paths: ["cut"],
    hunks: [
      { path: "a.ts", seen: ids },
      { path: "b.ts", seen: ids },
      { path: "run", seen: ".." },
    ],
  });
});

test("an unticked hunk leaves the file's others ticked, and a tap on the file ticks all, then none", () => {
  if (!a || !b) throw new Error("no files");
  const some = turned(none, a, [2]);
  expect([shareOf(some, a), shareOf(some, b)]).toEqual(["some", "all"]);
  expect(chosen([a], some).hunks.map(({ hunk }) => hunk)).toEqual([1, 3]);
  const all = turned(some, a, partsOf(a));
  expect(shareOf(all, a)).toBe("all");
  const out = turned(all, a, partsOf(a));
  expect([shareOf(out, a), chosen([a], out)]).toEqual(["none", { paths: [], hunks: [] }]);
});

test("a message is drafted from plan and decisions, else from the title, else from the files", () => {
  const step = { id: "s1", description: "Count `requests`", status: "done" as const };
  const open = { id: "s2", description: "Not yet", status: "pending" as const };
  const plan = {
    goal: "# Limit each token",
    steps: [step, open],
    decisions: [{ id: "d1", label: "Window", answer: "Fixed minute" }],
  };
  expect(draftedMessage(plan, "title", files)).toBe(
    "Limit each token\n\n- Count requests\n- Window: Fixed minute",
  );
  expect(draftedMessage(null, "Limit tokens", files)).toBe("Limit tokens");
  expect([draftedMessage(null, "", files), draftedMessage(null, "", b ? [b] : [])]).toEqual([
    "Change 3 files",
    "Change b.ts",
  ]);
});

test("a long goal gives its first part as the subject, and never its further lines", () => {
  const of = (goal: string) => draftedMessage({ goal, steps: [], decisions: [] }, "", []);
  expect(
    of(
      "TimeoutError tells which limit ran out (`timeout` or `totalTimeout`) and its milliseconds, without breaking",
    ),
  ).toBe("TimeoutError tells which limit ran out");
  expect(of("Limit each token\nBeside the limit per address, which stays as it is.")).toBe(
    "Limit each token",
  );
});

test("a subject ends at a word, within what git shows of it", () => {
  const subject = draftedMessage(null, "word ".repeat(40), []);
  expect([subject.length <= 72, subject.endsWith("word…")]).toEqual([true, true]);
});
