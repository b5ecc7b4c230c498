import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { type AskedQuestions, answersOf, currentAnswers, setAnswer } from "../../../pwa/session/answers.ts";
import type { OpenSession } from "../../../pwa/session/open-session.ts";
import { type Draft, emptyDraft } from "../../../pwa/storage/draft.ts";

test("a question whose id is the name of a property that every object has is not answered until it is", () => {
  const draft = signal<Draft>(emptyDraft);
  const setDraft = (change: Partial<Draft>) => {
    draft.value = { ...draft.value, ...change };
  };
  const session = { draft, setDraft } as Partial<OpenSession> as OpenSession;
  const question = { id: "constructor", label: "Constructor", prompt: "Which?", type: "free_text" } as const;
  const other = { ...question, id: "toString" };
  const asked: AskedQuestions = { toolCallId: "q", round: 1, questions: [question, other] };
  expect(currentAnswers(session, asked).raw.constructor).toBeUndefined();
  setAnswer(session, asked, "constructor", "the first", 1);
  expect(answersOf(session, asked)).toEqual([
    { id: "constructor", raw: "the first" },
    { id: "toString", raw: "" },
  ]);
});
