// The answers to a batch of questions while they are being given; kept with the draft.
import type * as z from "zod/mini";
import type { durableData } from "../../shared/event.ts";
import type { Answer, Question } from "../../shared/plan/question.ts";
import { byId } from "./by-id.ts";
import type { OpenSession } from "./open-session.ts";

export type AskedQuestions = z.infer<typeof durableData.questions>;

export interface GivenAnswers {
  /**
   * The index of the question shown; an index equal to the number of questions shows the review. A single question has
   * no review.
   */
  index: number;
  raw: Readonly<Record<string, string>>;
}

export function currentAnswers(session: OpenSession, asked: AskedQuestions): GivenAnswers {
  const kept = session.draft.value.answers;
  if (kept === null || kept.toolCallId !== asked.toolCallId) return { index: 0, raw: byId() };
  const { length } = asked.questions;
  return { index: length === 1 ? 0 : Math.min(kept.index, length), raw: byId(kept.raw) };
}

/** Keeps one raw answer ("" takes it back) and moves to the question at `index`. */
export function setAnswer(
  session: OpenSession,
  asked: AskedQuestions,
  id: string,
  raw: string,
  index: number,
): void {
  const { raw: before } = currentAnswers(session, asked);
  session.setDraft({ answers: { toolCallId: asked.toolCallId, index, raw: { ...before, [id]: raw } } });
}

export function showQuestion(session: OpenSession, asked: AskedQuestions, index: number): void {
  const { raw } = currentAnswers(session, asked);
  session.setDraft({ answers: { toolCallId: asked.toolCallId, index, raw } });
}

export function answersOf(session: OpenSession, asked: AskedQuestions): Answer[] {
  const { raw } = currentAnswers(session, asked);
  return asked.questions.map(({ id }) => ({ id, raw: raw[id] ?? "" }));
}

/** Numbers and commas alone choose options, even if they were typed as text. */
export const onlyNumbers = /^[\d,\s]+$/;

/** Returns whether `raw` can be sent: it chooses an existing option, or has words. */
export function isAnswer(question: Question, raw: string): boolean {
  if (raw.trim() === "") return false;
  if (question.type === "free_text" || !onlyNumbers.test(raw)) return true;
  const picked = pickedOptions(question, raw);
  return picked.length > 0 && (question.type === "multi_select" || picked.length === 1);
}

/** The options that a raw answer picks, counted from 1; none if it is text. */
export function pickedOptions(question: Question, raw: string): number[] {
  const count = question.options?.length ?? 0;
  if (question.type === "free_text" || !onlyNumbers.test(raw)) return [];
  const numbers = raw.split(",").map((part) => Number(part.trim()));
  return numbers.every((number) => number >= 1 && number <= count) ? numbers : [];
}

/** A raw answer in the words of a person. */
export function answerInWords(question: Question, raw: string): string {
  const picked = pickedOptions(question, raw);
  if (picked.length === 0) return raw.trim();
  return picked.map((number) => question.options?.[number - 1]?.label ?? String(number)).join(", ");
}

/** The raw answer after a tap on option `number`. */
export function toggled(question: Question, raw: string, number: number): string {
  if (question.type === "single_select") return String(number);
  const picked = new Set(pickedOptions(question, raw));
  if (!picked.delete(number)) picked.add(number);
  return [...picked].sort((a, b) => a - b).join(",");
}
