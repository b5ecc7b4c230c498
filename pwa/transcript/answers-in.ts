// The answers to a batch of questions, read off the text of their result. Pure.
import type { Question } from "../../shared/plan/question.ts";
import type { Chosen } from "./rows.ts";

/** `content`: `Label: answer` for each question in turn, where an answer may have lines of its own. */
export function answersIn(content: string, questions: readonly Question[]): Chosen[] {
  const text = `\n${content.replace(/\n?\[meta\][^\n]*$/, "")}`;
  const begins = questions.map(({ label }) => text.indexOf(`\n${label}: `));
  return questions.flatMap(({ id, label, prompt }, index) => {
    const at = begins[index] ?? -1;
    if (at < 0) return [];
    const next = begins.slice(index + 1).find((begin) => begin > at);
    return [{ id, label, prompt, answer: text.slice(at + label.length + 3, next).trim() }];
  });
}
