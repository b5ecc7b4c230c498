import { expect, test } from "vitest";
import { givenBack } from "../../../pwa/session/new-turn.ts";
import { emptyDraft } from "../../../pwa/storage/draft.ts";

test("the message of a refused turn is put before what was typed since", () => {
  const draft = { ...emptyDraft, text: "typed since", feedback: "and this" };
  expect(givenBack({ type: "message", text: "first" }, draft)).toEqual({ text: "first\ntyped since" });
  const comments = [
    { stepId: "s2", text: "later" },
    { quote: "the goal", text: "shorter" },
  ];
  const approved = { type: "approve" as const, planVersion: 1, planHash: "h", mode: "normal" as const };
  expect(givenBack({ ...approved, comments }, emptyDraft)).toEqual({
    feedback: "s2: later\nthe goal: shorter",
  });
  expect(givenBack(approved, emptyDraft)).toEqual({});
  expect(givenBack({ type: "replan", text: "goal" }, emptyDraft)).toEqual({ text: "goal" });
  expect(givenBack({ type: "reject", planVersion: 1, feedback: "other" }, draft)).toEqual({
    feedback: "other\nand this",
  });
});

test("answers of a refused turn are restored, in their questions", () => {
  const answers = [{ id: "q", raw: "2" }];
  expect(givenBack({ type: "answers", toolCallId: "c", answers, run: false }, emptyDraft)).toEqual({
    answers: { toolCallId: "c", index: 0, raw: { q: "2" } },
  });
});

test("a tap without text leaves the draft alone", () => {
  expect(givenBack({ type: "continue" }, emptyDraft)).toEqual({});
});
