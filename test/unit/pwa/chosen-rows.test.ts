import { expect, test } from "vitest";
import { transcriptRows } from "../../../pwa/transcript/transcript-rows.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { assistant, numbered, started, toolResult } from "../session/events.ts";

test("an answer that only the ledger tells carries its question, as after an import", () => {
  const question = {
    id: "where",
    label: "Where",
    prompt: "Where do the files go?",
    type: "free_text" as const,
  };
  const { entries } = numbered([
    started("t1"),
    assistant("a1", "", [["c1", "ask_user", {}]]),
    { event: "questions", data: { toolCallId: "c1", round: 1, questions: [question] } },
    toolResult("c1", "ask_user"),
    {
      event: "ledger",
      data: { decisions: [{ id: "where", label: "Where", answer: "In docs" }], updates: [], text: "" },
    },
  ]).reduce(reduce, emptySession());
  const decisions = [{ prompt: question.prompt, answer: "In docs" }];
  expect(transcriptRows(entries, null)).toMatchObject([{ kind: "chose", decisions }]);
});
