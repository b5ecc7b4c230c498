// `ask_user`: questions to the person, in rounds that are counted over planning and execution.

import { checkQuestions, maxQuestionRounds } from "../../shared/plan/questions.ts";
import { isFinish } from "../../shared/session/history.ts";
import { failed, type PendingCall, type Prepared } from "../tools/prepared.ts";
import type { TurnState } from "../turn/state.ts";
import { inForce } from "./set-and-get.ts";

/** Question batches used so far: the plan's count, or without a plan the answered calls since the last finished one. */
export function roundsAsked({
  plan,
  history,
  carried,
}: Pick<TurnState, "plan" | "history" | "carried">): number {
  if (inForce(plan)) return plan.round;
  const finished = history.findLastIndex(isFinish);
  const answered = history
    .slice(finished + 1)
    .filter((message) => message.role === "tool" && message.name === "ask_user" && message.ok).length;
  return answered + (finished < 0 ? carried.asked : 0);
}

export function prepareAskUser(state: TurnState, pending: PendingCall, args: unknown): Prepared {
  const checked = checkQuestions(args, { summaryRequired: state.mode !== "plan" });
  if (!checked.ok) return failed(`error: ask_user: ${checked.problem}`, true);
  const { plan } = state;
  if (state.mode === "plan" && !inForce(plan)) {
    return failed(
      "error: ask_user: the draft stands before the questions; call set_plan first, then ask_user",
    );
  }
  const asked = roundsAsked(state);
  if (asked >= maxQuestionRounds) {
    return failed(
      `error: ask_user: all ${maxQuestionRounds} rounds of questions are used; decide yourself and say what you decided`,
    );
  }
  const round = asked + 1;
  const { questions, summary } = checked;
  return {
    kind: "waits",
    reason: "questions",
    drafts: [
      ...(inForce(plan) ? [{ event: "plan" as const, data: { plan: { ...plan, round } } }] : []),
      {
        event: "questions",
        data: {
          toolCallId: pending.call.id,
          round,
          ...(summary === undefined ? {} : { summary }),
          questions,
        },
      },
    ],
  };
}
