import { expect, test } from "vitest";
import type { ToolMessage } from "../../../shared/message.ts";
import { addedChanges } from "../../../shared/session/call-facts.ts";

test("the changes of a file that is called like a property of every object are counted", () => {
  const message: ToolMessage = {
    ...{ id: "r", role: "tool", content: "done", createdAt: 1, mode: "normal" },
    ...{ toolCallId: "c", name: "write_file", ok: true },
    meta: {
      ...{ round: 1, maxRounds: 12, contextTokens: 1, budgetTokens: 2 },
      facts: { files: [{ path: "constructor", added: 2, removed: 1 }] },
    },
  };
  expect(addedChanges({}, message)).toEqual({ constructor: { added: 2, removed: 1 } });
});
