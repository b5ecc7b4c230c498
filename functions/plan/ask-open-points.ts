// What a plan leaves open is asked before the plan is proposed, as if the model had asked (PROTOCOL 8).
import type { AssistantMessage } from "../../shared/message.ts";
import type { Question } from "../../shared/plan/question.ts";
import { maxQuestionRounds } from "../../shared/plan/questions.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { roundsAsked } from "./history-facts.ts";
import { openQuestions } from "./open-points.ts";
import { showLedger } from "./proposal.ts";

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
