// The questions of a history that the person answered, as the model asked them. Pure.
import { isRecord } from "../../shared/is-record.ts";
import type { Message } from "../../shared/message.ts";
import type { Question } from "../../shared/plan/question.ts";
import { checkQuestions } from "../../shared/plan/questions.ts";
import { isAnswered } from "../../shared/session/history.ts";
import { parseArguments } from "../calls/parse-arguments.ts";

/** In the order in which they were asked. */
export function questionsAnswered(history: readonly Message[]): Question[] {
  const ids = new Set(history.filter(isAnswered).map(({ toolCallId }) => toolCallId));
  return history
    .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
    .filter(({ id }) => ids.has(id))
    .flatMap((call) => {
      const parsed = parseArguments(call.arguments);
      const args = parsed.ok && isRecord(parsed.value) ? parsed.value : null;
      const checked = checkQuestions(args, { summaryRequired: false });
      return checked.ok ? checked.questions : [];
    });
}
