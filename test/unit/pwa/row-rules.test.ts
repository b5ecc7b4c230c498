// The starting times of the calls of one answer.
import { expect, test } from "vitest";
import { callsInTurn } from "../../../pwa/transcript/row-rules.ts";
import { AssistantMessage, ToolMessage } from "../../../shared/message.ts";
import { assistant, toolResult } from "../session/events.ts";

const messageOf = (draft: ReturnType<typeof assistant>) =>
  draft.event === "message" ? draft.data.message : undefined;

test("the time that a call waits for those before it is not its own", () => {
  const calls = ["c1", "c2", "c3"].map((id): [string, string, object] => [id, "read_file", {}]);
  const answer = AssistantMessage.parse(messageOf(assistant("a1", "", calls)));
  const result = ToolMessage.parse(messageOf(toolResult("c1", "read_file")));
  const results = new Map([["c1", { ...result, createdAt: 85_000 }]]);
  expect(callsInTurn(answer, results).map(({ since }) => since)).toEqual([1, 85_000, 85_000]);
});
