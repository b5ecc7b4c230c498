// `ask_user`: questions to the person, in rounds that are counted over planning and execution.
import * as z from "zod/mini";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import { checkQuestions, maxQuestionRounds } from "../../shared/plan/questions.ts";
import { failed, type PendingCall, type PreparedCall } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { roundsAsked } from "../plan/history-facts.ts";
import { engineTool } from "./tool.ts";

/** Only shown, and shorter than what is accepted: ids are filled in, and options may be plain texts. */
const ShownQuestions = z.object({
  summary: z.optional(z.string()),
  questions: z
    .array(
      z.object({
        label: z.string(),
        prompt: z.string(),
        type: z.optional(z.enum(["multi_select"])),
        options: z.optional(z.array(z.string()).check(z.meta({ maxItems: 4 }))),
      }),
    )
    .check(z.meta({ maxItems: 5 })),
});

export const askUser = engineTool({
  name: "ask_user",
  description:
    "Prefer choices (none and other are added); an option that changes a check names the command. summary: the situation, at most 3 lines.",
  schema: ShownQuestions,
  modes: ["normal", "plan", "auto"],
  waits: true,
  prepare,
  trimming: { kept: true, digest: "Decisions" },
});

/** Ask for a draft first: questions about it are better. A model that asks again cannot plan without the answer. */
const draftFirst =
  "error: ask_user: a draft comes first, so that the questions are about it: call set_plan, then ask_user. If no draft can be made without the answer, ask again";

function wasToldToDraft({ env, state }: ToolTurn): boolean {
  return state.history
    .slice(env.request.messages.length)
    .some(({ role, content }) => role === "tool" && content === draftFirst);
}

function prepare(turn: ToolTurn, pending: PendingCall, args: unknown): PreparedCall {
  const checked = checkQuestions(args, { summaryRequired: turn.state.mode !== "plan" });
  if (!checked.ok) return failed(`error: ask_user: ${checked.problem}`, true);
  const { plan } = turn.state;
  if (turn.state.mode === "plan" && !isActivePlan(plan) && !wasToldToDraft(turn)) return failed(draftFirst);
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
