// The texts of the plan and changes sheets, apart from their looks.
import { expect, test } from "vitest";
import { commentsMessage } from "../../../pwa/changes/comments-message.ts";
import { parseDiff } from "../../../pwa/diff/parse-diff.ts";
import { changedSinceSeen, checkResults, planVersions } from "../../../pwa/sheets/plan-facts.ts";
import type { Plan } from "../../../shared/plan/plan-file.ts";
import { installPlan, markdownPlan } from "../../../shared/plan/set-plan.ts";
import type { Entry } from "../../../shared/session/session-state.ts";

function planOf(markdown: string, version = 1): Plan {
  const made = markdownPlan(markdown);
  if (!made.ok) throw new Error(made.problem);
  const plan = installPlan(null, { body: made.body, markdown, hash: `hash of ${markdown}`, source: "model" });
  return { ...plan, version };
}

const first = "# Goal\nLimits\n\n# Plan\n1. [s1] Count\n2. [s2] Answer 503\n";

test("changes since a plan was seen are listed step by step, and none where it is the same or was never seen", () => {
  const seen = planOf(first);
  const now = planOf(first.replace("503", "429").concat("3. [s3] Document\n"), 2);
  expect(changedSinceSeen(now, seen)).toEqual(["Step 2 changed: Answer 429", "Added Step 3: Document"]);
  expect(changedSinceSeen(seen, seen)).toEqual([]);
  expect(changedSinceSeen(now, null)).toEqual([]);
});

let id = 0;
function event(source: string, data: Record<string, unknown>): Entry {
  id += 1;
  const extra = { event: { subkind: "verifier_report", source, data } };
  const message = {
    id: `e${id}`,
    role: "event" as const,
    content: "",
    createdAt: id,
    mode: "normal" as const,
    extra,
  };
  return { event: "message", id, turnId: "t", data: { message } };
}
const check = (stepId: string, passed: boolean, command = "npm test", source = "checkpoint") =>
  event(source, { kind: "checkpoint", stepId, command, passed, ms: 3_100 });

const checked = planOf(first.replace("Count\n", "Count\n   - check: npm test\n"));
const installed = (plan: Plan): Entry => {
  id += 1;
  const message = {
    id: `p${id}`,
    role: "plan" as const,
    content: "",
    createdAt: id,
    mode: "plan" as const,
    extra: { plan },
  };
  return { event: "message", id, turnId: "t", data: { message } };
};

test("the newest check of a step counts, and none from before a person went back", () => {
  expect(checkResults([check("s1", false), check("s1", true)], checked).get("s1")).toMatchObject({
    outcome: "passed",
    ms: 3_100,
  });
  expect(checkResults([check("s1", true), event("rewind", { stepId: "s1" })], checked).size).toBe(0);
});

test("a check that neither passed nor failed says so, and a failed one shows its result before the plan", () => {
  const shown = (more: Record<string, unknown>) =>
    checkResults(
      [
        event("checkpoint", {
          kind: "checkpoint",
          stepId: "s1",
          command: "npm test",
          passed: false,
          ...more,
        }),
      ],
      checked,
    ).get("s1");
  const before = { snapshot: "a", exitCode: 1, last: "2 rules broken" };
  expect(shown({ before })).toMatchObject({
    outcome: "failed",
    before: "It failed before the plan changed anything, too: 2 rules broken",
  });
  expect(shown({ before: { snapshot: "a", exitCode: 0 } })?.before).toBe(
    "It passed before the plan changed anything",
  );
  expect(shown({ before: { snapshot: "a", exitCode: null } })).toMatchObject({ before: undefined });
  expect(shown({ timedOut: true })).toMatchObject({ outcome: "out_of_time" });
  expect(shown({ notRun: "no jail" })).toMatchObject({ outcome: "not_run" });
});

test("a check counts for the plan it ran under, and only if the step has it", () => {
  const [one, two] = [installed(checked), installed({ ...checked, version: 2 })];
  const kept = {
    ...checked,
    version: 2,
    steps: checked.steps.map((step) => ({ ...step, status: "done" as const })),
  };
  const ran = [one, check("s1", true)];
  expect(checkResults(ran, checked).size).toBe(1);
  // A different plan with the same id and even the same command. Nothing has run for it yet.
  expect(checkResults([...ran, two], { ...checked, version: 2 }).size).toBe(0);
  expect(checkResults(ran, { ...checked, version: 2 }).size).toBe(0);
  // A version that takes over the step as done.
  expect(checkResults([...ran, installed(kept)], kept).size).toBe(1);
  expect(checkResults([one, check("s1", true, "npm test || true")], checked).size).toBe(0);
  expect(checkResults([one, check("s1", true, "npm test", "imported")], checked).size).toBe(0);
});

test("versions are in order, the current plan in its own place", () => {
  const [one, two] = [planOf(first, 1), planOf(first, 2)];
  const live = { ...two, status: "executing" as const };
  expect(planVersions([installed(two), installed(one)], live)).toEqual([one, live]);
});

test("comments are one message, file by file and line by line, each with its line", () => {
  const comment = { removed: false, quote: "  let a = 1;", text: "const\n" };
  expect(
    commentsMessage([
      { ...comment, path: "b.ts", line: 3 },
      { ...comment, path: "a.ts", line: 12, removed: true, text: "Keep this" },
      { ...comment, path: "a.ts", line: 2, quote: "" },
    ]),
  ).toBe(
    "Comments on your changes.\n\n`a.ts`, line 2:\nconst\n\n`a.ts`, line 12 before the change:\n> let a = 1;\n\nKeep this\n\n`b.ts`, line 3:\n> let a = 1;\n\nconst",
  );
});

test("a diff names the version of a file that was seen", () => {
  const files = parseDiff(
    "diff --git a/x b/x\nindex 1111111..2222222 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/y b/y\ndeleted file mode 100644\nindex 3333333..0000000\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-index 1..9999999\n",
  );
  expect(files.map(({ path, seen }) => [path, seen])).toEqual([
    ["x", "2222222"],
    ["y", "0000000"],
  ]);
});
