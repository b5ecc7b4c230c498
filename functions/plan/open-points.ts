// The open points of a plan are its questions (PROTOCOL 8). Decides which are open; asks nothing.
import type { Message } from "../../shared/message.ts";
import { decides, lineLabel, sameWords } from "../../shared/plan/decided-points.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import type { DecisionPoint, Plan } from "../../shared/plan/plan-file.ts";
import type { Question } from "../../shared/plan/question.ts";
import { checkQuestions, maxQuestions } from "../../shared/plan/questions.ts";
import { isFinish } from "../../shared/session/history.ts";
import { questionsAnswered } from "./questions-answered.ts";

/**
 * The questions that a plan leaves open, at most as many as one round takes. A point is closed once it was decided, or
 * once the person answered a question with its label or its words since the last plan ended; other answers leave it open.
 */
export function openQuestions(plan: Plan | null, history: readonly Message[]): Question[] {
  if (!isActivePlan(plan)) return [];
  const answered = questionsAnswered(history.slice(history.findLastIndex(isFinish) + 1));
  const open = plan.decisionPoints.flatMap(questionOf).filter((point) => {
    const closes = (asked: Question) => decides(asked, point) || sameWords(asked.prompt, point.prompt);
    return !plan.decisions.some((made) => decides(made, point)) && !answered.some(closes);
  });
  const checked = checkQuestions({ questions: open.slice(0, maxQuestions) }, { summaryRequired: false });
  return checked.ok ? checked.questions : [];
}

/** A line that asks something is a question in free text; other lines are only shown. */
function questionOf(point: DecisionPoint, index: number): Question[] {
  if (typeof point !== "string") return [point];
  if (!point.endsWith("?")) return [];
  return [{ id: `point-${index + 1}`, label: lineLabel(point), prompt: point, type: "free_text" }];
}
