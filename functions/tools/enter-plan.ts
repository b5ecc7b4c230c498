// `enter_plan`: the model proposes to plan first. In normal mode the person decides; in auto mode, which asks nobody, the
// tools that plans are made with are offered at once.
import * as z from "zod/mini";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import { planFirst, planFirstQuestion } from "../../shared/plan/plan-first.ts";
import { fewLines } from "../../shared/plan/plan-lines.ts";
import { maxSummaryLines } from "../../shared/plan/questions.ts";
import { failed, type PendingCall, type PreparedCall, settled } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { type CallMessage, engineTool } from "./tool.ts";

export const enterPlan = engineTool({
  name: "enter_plan",
  description: "Propose to plan first, for work of several steps.",
  schema: z.object({}),
  modes: ["normal", "auto"],
  waits: true,
  noMeta: true,
  prepare,
  trimming: { kept: true },
});

/** The text beside the call says why the model proposes a plan; the person reads it with the question. */
function prepare(
  { env, state }: ToolTurn,
  { call }: PendingCall,
  _: unknown,
  { text }: CallMessage,
): PreparedCall {
  const { mode, plan, history } = state;
  if (mode === "auto" || isActivePlan(plan) || env.isOlder)
    return settled("From your next answer on there is set_plan, with which a plan begins.", { noMeta: true });
  const said = history.findLastIndex(({ role }) => role === "user");
  if (history.slice(said).some((message) => planFirst(message) === false))
    return failed("error: enter_plan: the person was asked and said: just do it");
  return {
    kind: "waits",
    reason: "questions",
    drafts: [
      {
        event: "questions",
        data: { toolCallId: call.id, round: 0, questions: [planFirstQuestion], ...summaryOf(text) },
      },
    ],
  };
}

function summaryOf(text: string): { summary?: string } {
  const summary = fewLines(text, maxSummaryLines);
  return summary === "" ? {} : { summary };
}
