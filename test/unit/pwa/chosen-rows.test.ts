import { expect, test } from "vitest";
import { transcriptRows } from "../../../pwa/transcript/transcript-rows.ts";
import type { DurableDraft } from "../../../shared/event.ts";
import { planFirstQuestion } from "../../../shared/plan/plan-first.ts";
import { reduce } from "../../../shared/session/reduce.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { assistant, numbered, started, toolResult } from "../session/events.ts";

test("an answer that is only in the ledger carries its question, as after an import", () => {
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

test("the choice to plan first comes before the mode change it caused", () => {
  const chosen = toolResult("c1", "enter_plan");
  if (chosen.event === "message") chosen.data.message.content = "How to begin: Plan first";
  const switched: DurableDraft = {
    event: "message",
    data: {
      message: {
        ...{ id: "s1", role: "event", content: "Plan mode.", createdAt: 1, mode: "plan" },
        extra: { event: { subkind: "mode_switch", source: "engine", data: {} } },
      },
    },
  };
  const { entries } = numbered([
    started("t1"),
    assistant("a1", "", [["c1", "enter_plan", {}]]),
    { event: "questions", data: { toolCallId: "c1", round: 0, questions: [planFirstQuestion] } },
    { event: "turn.done", data: { reason: "questions", rounds: 1 } },
    started("t2", "plan"),
    { event: "mode", data: { from: "normal", to: "plan", reason: "chosen by the person" } },
    switched,
    chosen,
  ]).reduce(reduce, emptySession());
  expect(transcriptRows(entries, null)).toMatchObject([
    { kind: "chose", decisions: [{ answer: "Plan first" }] },
    { kind: "note", text: "Plan mode on" },
  ]);
});
