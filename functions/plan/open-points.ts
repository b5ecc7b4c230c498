// The open points of a plan are its questions (PROTOCOL 8). Decides which are open; asks nothing.
import type { Message } from "../../shared/message.ts";
import { lineLabel } from "../../shared/plan/decided-points.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import type { DecisionPoint, Plan } from "../../shared/plan/plan-file.ts";
import type { Question } from "../../shared/plan/question.ts";
import { checkQuestions, maxQuestions } from "../../shared/plan/questions.ts";
import { isAnswered } from "../../shared/session/history.ts";

/**
 * The questions that a plan leaves open, at most as many as one round takes. A point is closed once it was decided, and
 * where it was in the plan already when the person last answered: they were asked about that plan.
 */
export function openQuestions(plan: Plan | null, history: readonly Message[]): Question[] {
  if (!isActivePlan(plan)) return [];
  const answered = history.findLastIndex(isAnswered);
  const before = history
    .slice(0, answered + 1)
    .flatMap((message) => (message.role === "plan" ? message.extra.plan.decisionPoints : []))
    .map(wordsOf);
  const open = plan.decisionPoints
    .filter((point) => !before.includes(wordsOf(point)))
    .flatMap(questionOf)
    .filter(({ id, label }) => !plan.decisions.some((made) => made.id === id || made.label === label));
  const checked = checkQuestions({ questions: open.slice(0, maxQuestions) }, { summaryRequired: false });
  return checked.ok ? checked.questions : [];
}

function wordsOf(point: DecisionPoint): string {
  return typeof point === "string" ? point : `${point.label}: ${point.prompt}`;
}

/** A line that asks something is a question in free text; other lines are only shown. */
function questionOf(point: DecisionPoint, index: number): Question[] {
  if (typeof point !== "string") return [point];
  if (!point.endsWith("?")) return [];
  return [{ id: `point-${index + 1}`, label: lineLabel(point), prompt: point, type: "free_text" }];
}
