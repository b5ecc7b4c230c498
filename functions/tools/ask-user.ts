// `ask_user`: questions to the person, in rounds that are counted over planning and execution.
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import { AskUserArgs, checkQuestions, maxQuestionRounds } from "../../shared/plan/questions.ts";
import { failed, type PendingCall, type PreparedCall } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { roundsAsked } from "../plan/history-facts.ts";
import { engineTool } from "./tool.ts";

export const askUser = engineTool({
  name: "ask_user",
  description:
    "Ask 1 to 5 questions where the answer changes approach, scope, compatibility, migration or safety. Prefer choices (none and other are added); an option that changes a check names the command. summary: the situation in 1 to 3 lines.",
  schema: AskUserArgs,
  modes: ["normal", "plan", "auto"],
  waits: true,
  prepare,
  trimming: { kept: true, digest: "Decisions" },
});

function prepare(turn: ToolTurn, pending: PendingCall, args: unknown): PreparedCall {
  const checked = checkQuestions(args, { summaryRequired: turn.state.mode !== "plan" });
  if (!checked.ok) return failed(`error: ask_user: ${checked.problem}`, true);
  const { plan } = turn.state;
  if (turn.state.mode === "plan" && !isActivePlan(plan)) {
    return failed(
      "error: ask_user: the draft stands before the questions; call set_plan first, then ask_user",
    );
  }
  const asked = roundsAsked(turn.state, turn.env.carried);
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
      ...(isActivePlan(plan) ? [{ event: "plan" as const, data: { plan: { ...plan, round } } }] : []),
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
