// The calls of a history that wait for a result, and how one of them is resumed. Each decision counts only
// for its own call.
import { describe, expect, test } from "vitest";
import { openCalls, originOfMessage, pendingCall } from "../../../functions/calls/open-calls.ts";
import type { AssistantMessage, Message } from "../../../shared/message.ts";

const common = { content: "", createdAt: 7, mode: "normal" } as const;
const asking = (id: string, ...calls: string[]): AssistantMessage => ({
  ...{ ...common, id, role: "assistant", finish: "tool_calls" },
  toolCalls: calls.map((call) => ({ id: call, name: "run_command", arguments: "{}" })),
});
const result = (toolCallId: string): Message => ({
  ...{ ...common, id: `r-${toolCallId}`, role: "tool", toolCallId, name: "run_command", ok: true },
});
const said: Message = { ...common, id: "u", role: "user" };

describe("calls without a result", () => {
  test("are those of the last answer that made any, in its order", () => {
    const history = [asking("t.1.a", "a"), result("a"), said, asking("t.2.b", "b", "c", "d"), result("c")];
    expect(openCalls(history)).toEqual({ message: history[3], ordinals: [0, 2] });
    expect(openCalls([...history, asking("t.3.e")])?.ordinals).toEqual([0, 2]);
  });

  test("are none once each has a result, for answers without calls, and for an answer still to come", () => {
    expect(openCalls([asking("t.1.a", "a"), result("a")])).toBeUndefined();
    expect(openCalls([said, asking("t.1.a")])).toBeUndefined();
  });

  test("are not answered by a result that came before them under the same id", () => {
    expect(openCalls([asking("t.1.a", "a"), result("a"), asking("t.2.b", "a")])?.ordinals).toEqual([0]);
  });
});

describe("a call that is resumed", () => {
  const message = asking("turn-1.3.abc", "a", "b", "c", "d");
  const resumes = {
    ...{ message, from: 0, permitted: 1, alsoPermitted: [2] },
    ...{ denied: [{ ordinal: 3, text: "no" }], suffix: "/again" },
  };
  const pending = (ordinal: number, of = message) => pendingCall(of, ordinal, { turnId: "now", resumes });

  test("is allowed or denied where the person decided on it, and on no other", () => {
    expect([0, 1, 2, 3].map((ordinal) => pending(ordinal)?.permitted)).toEqual([false, true, true, false]);
    expect([0, 1, 2, 3].map((ordinal) => pending(ordinal)?.denied)).toEqual([
      undefined,
      undefined,
      undefined,
      "no",
    ]);
  });

  test("has the key of the round that made it, with a suffix where it alone is run again", () => {
    expect([0, 1, 2].map((ordinal) => pending(ordinal)?.key)).toEqual([
      "turn-1/3/0",
      "turn-1/3/1/again",
      "turn-1/3/2",
    ]);
    expect(pending(0, asking("from elsewhere", "a"))?.key).toBe("now/0/0");
  });

  test("is not decided by a decision on another answer, and is undefined where there is no such call", () => {
    expect(pending(1, asking("turn-1.4.abc", "a", "b"))).toMatchObject({
      permitted: false,
      key: "turn-1/4/1",
    });
    expect(pending(4)).toBeUndefined();
  });
});

test.each(["turn-1.x.a", ".1.a", "a b.1.a", `${"x".repeat(101)}.1.a`, "turn-1.1"])(
  "%s is not the id of a message that a turn of this server sampled",
  (id) => {
    expect(originOfMessage(id)).toBeUndefined();
  },
);
