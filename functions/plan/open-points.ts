// The open points of a plan are its questions (PROTOCOL 8): which are open, and asking them before the plan is proposed, as
// if the model had asked.
import type { AssistantMessage, Message } from "../../shared/message.ts";
import { decides, lineLabel, sameWords } from "../../shared/plan/decided-points.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import type { DecisionPoint, Plan } from "../../shared/plan/plan-file.ts";
import type { Question } from "../../shared/plan/question.ts";
import { checkQuestions, maxQuestionRounds, maxQuestions } from "../../shared/plan/questions.ts";
import { isFinish } from "../../shared/session/history.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { questionsAnswered } from "./answered-plan.ts";
import { roundsAsked } from "./history-facts.ts";
import { showLedger } from "./proposal.ts";

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

/** What is asked before the plan is shown: nothing where no round of questions is left. */
export function pointsToAsk({ state, env }: Pick<ToolTurn, "state" | "env">): Question[] {
  const questions = openQuestions(state.plan, state.history);
  return roundsAsked(state, env.carried) >= maxQuestionRounds ? [] : questions;
}

/** Asks what the plan leaves open, as an `ask_user` call after `message`. False where it leaves nothing open. */
export function asksOpenPoints(turn: ToolTurn, message: AssistantMessage): boolean {
  const { plan, mode } = turn.state;
  const questions = pointsToAsk(turn);
  if (!plan || questions.length === 0) return false;
  showLedger(turn);
  const id = `${message.id}.ask`.slice(0, 200);
  turn.note({
    id: `${id}.notice`,
    at: message.createdAt,
    subkind: "system_notice",
    source: "open_points",
    content:
      "The plan leaves points open, so they are asked before it is shown. Work the answers in and submit it again.",
  });
  const call = { id, name: "ask_user", arguments: JSON.stringify({ questions }) };
  turn.emit({
    event: "message",
    data: {
      message: {
        id,
        role: "assistant",
        content: "",
        createdAt: message.createdAt,
        mode,
        toolCalls: [call],
        finish: "tool_calls",
      },
    },
  });
  const round = plan.round + 1;
  turn.emit({ event: "plan", data: { plan: { ...plan, round } } });
  turn.emit({ event: "questions", data: { toolCallId: id, round, questions } });
  return true;
}
