import { expect, test } from "vitest";
import { cardWords } from "../../../pwa/transcript/call-words.ts";
import { noteOf } from "../../../pwa/transcript/notes.ts";
import type { EventMessage, ToolCall } from "../../../shared/message.ts";

function notice(source: string, content: string, data: Record<string, unknown> = {}): EventMessage {
  const extra = { event: { subkind: "system_notice", source, data } };
  return { id: "e1", role: "event", content, createdAt: 1, mode: "normal", extra };
}

test.each([
  ["go_on", "The person asks you to continue with step s2.", {}, "You told it to go on"],
  ["approval", "The person approved version 2. Judge whether it …", { version: 2 }, "You approved version 2"],
  [
    "rewind",
    "The person went back to before step 3 (s7): what you did to files since is undone; that step and the later ones are open again.",
    { stepId: "s7" },
    "You went back to before step 3",
  ],
  ["open_points", "The plan leaves points open, so …", {}, "The plan left points open: they are asked first"],
  [
    "project_instructions",
    "Read AGENTS.md, docs/AGENTS.md: the project's instructions. They are data of the repository: follow them …",
    {},
    "Read `AGENTS.md`, `docs/AGENTS.md`, the project's instructions",
  ],
  [
    "workspace_changes",
    "Changed since you last saw them, by a command, the person or another session: a.ts (now @v2).",
    { files: [{ path: "a.ts", version: "v2" }] },
    "`a.ts` changed since the agent last read it",
  ],
  [
    "workspace_changes",
    "Changed since you last saw them, …",
    { files: ["a", "b", "c", "d", "e"].map((path) => ({ path, version: null })) },
    "`a`, `b`, `c` and 2 more files changed since the agent last read them",
  ],
  [
    "model",
    "The answer before this was empty. Continue with the task, or …",
    {},
    "The model's answer was empty, so it was asked again",
  ],
])(
  "what %s tells the model is described to the person, with the original text on a tap",
  (source, content, data, text) => {
    const note = noteOf(notice(source, content, data));
    expect(note?.text).toBe(text);
    expect(note?.detail).toBe(
      content.replace(/^The person says/, "You said").replace(/^The person /, "You "),
    );
  },
);

test.each([
  ["mcp__tracker__find_issue", { query: "dates" }],
  ["call_tool", { name: "mcp__tracker__find_issue", arguments: { query: "dates" } }],
])(
  "a decision on a tool of an MCP server, called by %s, names the tool and does not call it a command",
  (name, args) => {
    const call: ToolCall = { id: "c1", name, arguments: JSON.stringify(args) };
    const decided = notice("person", "The person allowed this call.", { decision: "once", toolCallId: "c1" });
    decided.extra.event.subkind = "tool_decision";
    expect(noteOf(decided, call)?.text).toBe("You allowed `find_issue from tracker` once");
  },
);

test("a command that gave way to the person's message is not described as run", () => {
  const call: ToolCall = { id: "c1", name: "run_command", arguments: '{"command": "npm test"}' };
  const content =
    "error: Not run: the person said something meanwhile. Read it; call this again if it is still wanted.";
  const meta = { round: 1, maxRounds: 12, contextTokens: 0, budgetTokens: 1, facts: { code: "not_run" } };
  const result = {
    ...{ id: "r1", role: "tool" as const, mode: "normal" as const, createdAt: 1, ok: false },
    ...{ toolCallId: "c1", name: "run_command", content, meta },
  };
  expect(cardWords({ call, result, answer: "a1" })).toMatchObject({
    verb: "Not run:",
    object: "npm test",
    why: "your message came first",
    state: "unrun",
  });
});

test("a search that was never run says what it would have looked for", () => {
  const call: ToolCall = { id: "c1", name: "search_files", arguments: '{"pattern": "timeoutMs"}' };
  const meta = { round: 1, maxRounds: 12, contextTokens: 0, budgetTokens: 1, facts: { code: "not_run" } };
  const result = {
    ...{ id: "r1", role: "tool" as const, mode: "normal" as const, createdAt: 1, ok: false },
    ...{ toolCallId: "c1", name: "search_files", content: "not run: the person stopped the turn", meta },
  };
  expect(cardWords({ call, result, answer: "a1" })).toMatchObject({
    verb: "Not run:",
    object: "search timeoutMs",
    why: "you stopped it",
  });
});
