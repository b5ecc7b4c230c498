// `exit_plan`: the plan is submitted for review.
import * as z from "zod/mini";
import { isRecord } from "../../shared/is-record.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import { writtenPlan } from "../../shared/plan/written-plan.ts";
import { failed, type PendingCall, type PreparedCall, settled } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { comparedPlan, noStepsText, pointsToAsk, submitText } from "../plan/proposal.ts";
import { type CallMessage, engineTool } from "./tool.ts";

/** Only shown: whatever else a model writes, the plan is submitted. */
const ExitPlanArgs = z.object({ plan: z.optional(z.string()) });

export const exitPlan = engineTool({
  name: "exit_plan",
  description: "Submit the plan for review.",
  schema: ExitPlanArgs,
  modes: ["plan"],
  noMeta: true,
  prepare,
  trimming: { kept: true },
});

async function prepare(
  turn: ToolTurn,
  pending: PendingCall,
  args: unknown,
  message: CallMessage,
): Promise<PreparedCall> {
  if (message.names.includes("ask_user")) {
    return failed(
      "error: exit_plan cannot come with ask_user in one answer; ask first, submit the plan once it is answered",
    );
  }
  const given = planArgument(args);
  const { plan } = turn.state;
  // While a plan is active, another one is submitted by the argument alone: the message's text does not count.
  const text = given ?? (isActivePlan(plan) ? undefined : message.text);
  if (text !== undefined) {
    if (text.trim() === "")
      return failed("error: exit_plan: there is no plan to submit; call set_plan first");
    const read = writtenPlan(text, comparedPlan(turn));
    if (!read.ok && read.hides) return failed(`error: exit_plan: ${read.problem}`);
    const before = turn.state.plan?.hash;
    const origin = given === undefined ? message.id : pending.call.id;
    const other = await submitText(turn, text, { origin, at: pending.at });
    // "Answer and run" referred to a plan to be patched, not to a text that the person has not seen.
    if (other && before !== undefined) turn.state.run = null;
  }
  const asked = pointsToAsk(turn).map(({ label }) => label);
  const result =
    asked.length === 0
      ? `Plan submitted for review.${turn.state.plan?.steps.length === 0 ? ` ${noStepsText}` : ""}`
      : `Not submitted yet: ${asked.join(", ")} ${asked.length === 1 ? "is" : "are"} asked first.`;
  return settled(result, {
    noMeta: true,
    endsRound: "not run: the plan was submitted",
    endsTurn: "proposed",
  });
}

function planArgument(args: unknown): string | undefined {
  const plan = isRecord(args) ? args.plan : undefined;
  return typeof plan === "string" && plan.trim() !== "" ? plan : undefined;
}
