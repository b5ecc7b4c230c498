// The person's decision on a call that waits: which call it is about, and how it is told.
import { expect, test } from "vitest";
import { readPermit } from "../../../functions/inputs/permit.ts";
import type { Message } from "../../../shared/message.ts";
import type { TurnRequest } from "../../../shared/turn.ts";

const call = (id: string, name: string, args: object) => ({ id, name, arguments: JSON.stringify(args) });
const asked = [
  call("c1", "run_command", { command: "rm -rf a" }),
  call("c2", "call_tool", { name: `post\u202e\t${"x".repeat(500)}`, arguments: {} }),
  call("c3", "ask_user", {}),
];
const message: Message = {
  ...{ id: "t1.1.a", role: "assistant", content: "", createdAt: 0, mode: "normal", finish: "tool_calls" },
  toolCalls: asked,
};
const request = { turnId: "t2", mode: "normal", messages: [message], plan: null };
const permit = (input: object) =>
  readPermit(request as TurnRequest, { type: "permit", ...input } as never, {
    ...{ plan: null, now: 1, mayHaveRun: false },
  });

test("a decision is handed to the sandbox with the call as it reads in the history, and grants nothing by itself", () => {
  const { resolves, permits, messages } = permit({ toolCallId: "c1", decision: "once" });
  expect(resolves).toBe("call:c1");
  expect(permits).toEqual({
    ...{ toolCallId: "c1", name: "run_command", arguments: asked[0]?.arguments, decision: "once" },
  });
  expect(messages).toHaveLength(1);
});

test.each([
  ["no call", "c9"],
  ["a call after the first that waits", "c2"],
])("a decision on %s is stale", (_, toolCallId) => {
  expect(() => permit({ toolCallId, decision: "once" })).toThrow("no longer asked for");
});

test.each([
  ["a question", ["c3"]],
  ["no call of this answer", ["c9"]],
  ["the first call", ["c1"]],
  ["one call twice", ["c2", "c2"]],
])("together with it, %s is not decided on", (_, ids) => {
  const others = ids.map((toolCallId) => ({ toolCallId, decision: "once" }));
  expect(() => permit({ toolCallId: "c1", decision: "once", others })).toThrow("is not another open call");
});

test("the tool that call_tool means is named with marks, and not at any length", () => {
  const others = [{ toolCallId: "c2", decision: "session" }];
  const { messages } = permit({ toolCallId: "c1", decision: "once", others });
  expect(messages[1]?.content).toContain("this call of post⟨U+202E⟩⟨U+0009⟩x");
  expect(messages[1]?.content).not.toContain("x".repeat(200));
});
