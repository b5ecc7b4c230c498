import { expect, test } from "vitest";
import { cardWords, lookedAt, lookedInWords } from "../../../pwa/transcript/call-words.ts";
import type { CallView } from "../../../pwa/transcript/rows.ts";
import { transcriptRows } from "../../../pwa/transcript/transcript-rows.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { assistant, numbered, started, toolResult } from "../session/events.ts";

const view = (name: string, args: object, content?: string, ok = true): CallView => {
  const result = content === undefined ? undefined : toolResult("c1", name, {}, ok);
  if (result?.event !== "message" || result.data.message.role !== "tool") return callView(name, args);
  return { ...callView(name, args), result: { ...result.data.message, content: content ?? "" } };
};
const callView = (name: string, args: object): CallView => ({
  ...{ call: { id: "c1", name, arguments: JSON.stringify(args) }, answer: "a1" },
  ...{ result: undefined, printed: undefined, check: undefined },
});

test.each([
  [view("find_tool", { query: "issues by label" }, "…"), "Looked for a tool: issues by label"],
  [view("find_tool", { query: "issues by label" }), "Unfinished: issues by label"],
  [view("find_tool", {}, "error: find_tool: query", false), "Could not look for a tool: find_tool"],
  [
    view("call_tool", { name: "close_it", arguments: {} }, 'error: there is no tool "close_it"', false),
    "There is no tool close_it",
  ],
  [
    view("call_tool", { name: "mcp__tracker__close_issue" }, "error: it may change something", false),
    "Did not work: close_issue from tracker",
  ],
  [
    view("mcp__tracker__close_issue", {}, "error: unknown tool `mcp__tracker__close_issue`", false),
    "Refused close_issue from tracker",
  ],
  [view("mcp__tracker__close_issue", {}, "denied by the person", false), "Not run: close_issue from tracker"],
  [
    view("call_tool", { name: "mcp__tracker__close_issue" }, "error: unknown tool `call_tool`", false),
    "Refused close_issue from tracker",
  ],
])("a search for tools shows what it looks for, and a call through it shows the tool: %#", (shown, said) => {
  const { verb, object } = cardWords(shown);
  expect(`${verb} ${object}`).toBe(said);
});

test("a tool without its own description is shown by name, alone and among quiet ones", () => {
  const events = [started("t1"), assistant("a1", "", [["l1", "git_log", {}]]), toolResult("l1", "git_log")];
  const { entries, head } = numbered(events).reduce(reduce, emptySession());
  const [row] = transcriptRows(entries, head.plan);
  if (row?.kind !== "call") throw new Error("no card");
  expect(cardWords(row.view)).toMatchObject({ verb: "Used", object: "git_log", state: "ok" });
  const plan = { ...row.view, call: { ...row.view.call, name: "get_plan" } };
  expect(lookedInWords([row.view, plan])).toBe("Used `git_log`");
  expect([lookedAt(row.view.call), lookedAt(plan.call)]).toEqual(["git_log", "the plan"]);
});

const gone = "error: The workspace is no longer the folder that it was. Begin a new session.";
test.each<[string, string, Record<string, unknown>, string, string]>([
  [
    "a call that the engine could not read",
    "error: run_command: arguments are not JSON",
    {},
    "Not run: run_command",
    "the call was malformed",
  ],
  [
    "a refusal of the sandbox",
    gone,
    { code: "path_escape" },
    "Not run: ls",
    "The workspace is no longer the folder that it was",
  ],
  ["a command that was cut", "stopped by the person", { code: "stopped" }, "Ran ls", ""],
  ["a command that failed", "exit 1", { exitCode: 1, timedOut: false }, "Ran ls", ""],
])("a command is said to have run only if it did: %s", (_what, content, facts, said, why) => {
  const result = toolResult("c1", "run_command", facts, false);
  if (result.event !== "message" || result.data.message.role !== "tool") throw new Error("no result");
  const args = said.endsWith("ls") ? { command: "ls" } : {};
  const words = cardWords({ ...callView("run_command", args), result: { ...result.data.message, content } });
  expect([`${words.verb} ${words.object}`, words.why ?? ""]).toEqual([said, why]);
});

test("a call of an unknown tool is named", () => {
  expect(cardWords(view("frobnicate", { x: 1 }, "error: unknown tool `frobnicate`", false))).toMatchObject({
    ...{ verb: "Refused", object: "frobnicate" },
  });
});

test("a denied call says the person's reason", () => {
  const denied = "denied by the person: Not on Friday.\nThe command did not run.";
  expect(cardWords(view("run_command", { command: "git push" }, denied, false))).toMatchObject({
    ...{ verb: "Not run:", object: "git push", why: "you denied it: Not on Friday." },
  });
});
