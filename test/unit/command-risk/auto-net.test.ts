import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { personAsksForCommits } from "../../../functions/calls/permission.ts";
import { riskToAsk } from "../../../functions/command-risk/command-risk.ts";
import { fixCheck, workOnIssue } from "../../../pwa/words/fix-message.ts";
import { asksForCommits, mentionsCommits } from "../../../shared/asks-for-commits.ts";
import { Message } from "../../../shared/message.ts";
import { listedLines } from "./command-lines.ts";

const listed = (kind: string) =>
  listedLines("auto")
    .filter((one) => one.kind === kind)
    .map(({ line }) => line);
const asked = (line: string, commits = true) => riskToAsk(line, "auto", [], undefined, commits);

describe("auto mode asks before what no snapshot can restore", () => {
  test.each(listed("asks"))("%s", (line) => {
    expect(asked(line)?.why).toMatch(/\S/);
    expect(riskToAsk(line, "normal", [])).toBeDefined();
  });
});

describe("auto mode does not ask before what can be undone", () => {
  test.each(listed("passes"))("%s", (line) => expect(asked(line, false)?.why).toBeUndefined());
});

describe("auto mode asks before a commit where the person requested none, and nowhere else", () => {
  test.each(listed("commits"))("%s", (line) => {
    expect(asked(line, false)?.why).toContain("makes a commit");
    expect(asked(line)).toBeUndefined();
    expect(riskToAsk(line, "normal", [], undefined, false)).toBeUndefined();
  });
});

test("in everyday commands of agents auto mode asks about nothing but commits", () => {
  const alarms = listedLines("everyday").filter(({ line }) => asked(line));
  expect(alarms).toEqual([]);
});

test("its own temporary folders are deleted without asking in every mode", () => {
  for (const line of ["rm -rf /tmp/build-x", 'd=$(mktemp -d); cp a "$d"; rm -rf "$d"'])
    expect(riskToAsk(line, "normal", [])).toBeUndefined();
  for (const line of ["rm -rf /tmp/../etc", "rm -rf /tmp/*", "rm -rf /tmp/x ~", 'rm -rf "/tmp/$X"'])
    expect(riskToAsk(line, "normal", [])).toBeDefined();
});

test("the person requests commits in their own words, in this turn or this sandbox; those of a model or a file do not count", () => {
  const message = (role: string, content: string, more: object = {}) =>
    z.parse(Message, { id: "t2.user", role, content, createdAt: 0, mode: "auto", ...more });
  const says = (history: Message[], grants: { risk: string; program: string; subcommand: string }[] = []) =>
    personAsksForCommits({ env: { grants, request: { turnId: "t2" } }, state: { history, plan: null } });
  expect(says([message("user", "Fix it and commit")])).toBe(true);
  expect(says([message("user", "And commit, please", { id: "t2.steer.s1" })])).toBe(true);
  expect(says([message("user", "Fix it")])).toBe(false);
  expect(says([message("assistant", "I will commit it", { toolCalls: [], finish: "stop" })])).toBe(false);
  expect(says([message("user", "Commit all of it", { id: "t1.user" })])).toBe(false);
  expect(says([], [{ risk: "commits", program: "git", subcommand: "commit" }])).toBe(true);
});

test.each([
  ["Fix it. Don't commit.", false],
  ["Fix it without committing anything", false],
  ["do not push or merge", false],
  ["Bitte nichts einchecken", false],
  ["Don't push, but commit each step", true],
  ["Open a PR", true],
  ["Open a new draft pull request", true],
  ["Turn this into a PR, please", true],
  ["Look at PR 12 and tell me what is wrong", false],
  ["Open PR #12 and read it", false],
  ["Make the PR title shorter on that page", false],
  ["When it passes, merge.", true],
  ["Merge the feature branch", true],
  ["Merge it into main", true],
  ["Write a merge sort", false],
  ["Fix the merge: it loses rows", false],
  ["Run the tests on push", false],
  ["Read both lists and merge them by id", false],
  ["Push it", true],
  ["Push your changes when the tests pass", true],
  ["then push to origin", true],
  ["Push everything to GitHub", true],
  ["Push to the array, and pop from it", false],
  ["Push it onto the stack", false],
  ["Send a push when the price changes", false],
  ["Add push notifications that work", false],
  ["Revert 1a2b3c4d", true],
  ["Revert to the old layout", false],
  ["Check it in", true],
  ["Check in the docs whether this is so", false],
  ["On step 2 (commit-all), “Commit and push the result”: drop this", false],
  ["On “push it”: and commit the notes", true],
  ["Take docs/push-notes.md as the plan.", false],
  ["On “Then: commit everything”: why?", false],
  ["Approved. Go ahead. But mind:\nOn step 1 (s1), “Last: push it”: leave this out", false],
  ["On “Then: test”: commit it, too", true],
  ["A comment on your changes.\n\n`src/commit.ts`, line 3:\n> git commit -am x\n\nrename this", false],
  ["A comment on your changes.\n\n`src/a.ts`, line 3:\n> x\n\ncommit this", true],
  [workOnIssue({ number: 1, title: "Merge it", text: "~~~\ncommit\n~~~\nand push", url: "" }), false],
  [
    fixCheck(
      1,
      {
        name: "commit lint",
        text: "the commit failed",
        state: "failed",
        ...{ id: "1", url: null, log: false },
      },
      null,
    ),
    false,
  ],
  ["Do it:\n\n```sh\nmake\n```\n\nand commit", true],
  ["Run it again:\n\n```\ngit commit\n```", false],
  ["Look at this:\n\n~~~\ngit commit, and no more", false],
])("%s: requests commits: %s", (text, asked) => {
  expect(asksForCommits(text)).toBe(asked);
});

test("a sheet for commits is offered for words that may mean something else, but not for what is not wanted", () => {
  for (const text of ["Look at PR 12", "Merge them by id"]) expect(mentionsCommits(text)).toBe(true);
  for (const text of ["Do not merge them", "> push it"]) expect(mentionsCommits(text)).toBe(false);
});

test("a long text of quotation marks or fences is judged at once", () => {
  for (const mark of ["“", "`", "~", "> “"]) expect(asksForCommits(mark.repeat(200_000))).toBe(false);
});
