// Checks that a call asks exactly the questions that are shown. Pure.
import * as z from "zod/mini";
import { Question } from "../../shared/plan/question.ts";
import { checkQuestions } from "../../shared/plan/questions.ts";

/** `json` contains the call's arguments. */
export function asksSo(json: string, shown: readonly Question[]): boolean {
  try {
    const asked = checkQuestions(JSON.parse(json), { summaryRequired: false });
    return asked.ok && sameQuestions(asked.questions) === sameQuestions(shown);
  } catch {
    return false;
  }
}

function sameQuestions(questions: readonly Question[]): string {
  return JSON.stringify(questions.map((question) => z.parse(Question, question)));
}
