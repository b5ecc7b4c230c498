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
