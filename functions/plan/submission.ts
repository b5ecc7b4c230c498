// The one rule for a submitted plan (PROTOCOL 7): what says something else than the plan in force is its next version.
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import type { PlanBody } from "../../shared/plan/plan-file.ts";
import { oneLine } from "../../shared/plan/plan-lines.ts";
import { restates } from "../../shared/plan/restates.ts";
import { abandons } from "../../shared/plan/set-plan.ts";
import { type Before, proposedText } from "../../shared/plan/written-plan.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { install } from "./installing.ts";

/** A plan as it was read out of a call or a text. */
export interface Submitted {
  body: PlanBody;
  markdown: string;
}

/** Id of the call or message that it came with, and its time in milliseconds. */
interface SubmissionOrigin {
  origin: string;
  at: number;
  /** The plan in force is under way, and goes on as this one: see `install`. */
  goesOn?: "approved" | "unapproved" | undefined;
}

/** For the model. The person reads it on the plan's card. */
export const noStepsText =
  "No steps were read in it: nothing is checked, and no step can be undone. Write them as a numbered list, each with a line `Check: COMMAND`.";

/** A longer message does not fit the two lines of a goal. */
const maxGoalChars = 200;

/** What a plan that is submitted now goes on from. A text that names no goal has that of the plan in force, or what the person asked for. */
export function beforeOf({ state }: ToolTurn): Before {
  const plan = isActivePlan(state.plan) ? state.plan : null;
  const asked = state.history.findLast(({ role }) => role === "user")?.content ?? "";
  const line = oneLine(asked.split("\n\n")[0] ?? "");
  return {
    plan,
    goal: plan?.goal || (line.length > maxGoalChars ? `${line.slice(0, maxGoalChars - 1)}…` : line),
  };
}

/** Installs what was submitted as version 1 or the next one. False where the plan in force reads the same already. */
export async function submit(turn: ToolTurn, made: Submitted, from: SubmissionOrigin): Promise<boolean> {
  const { plan, mode } = turn.state;
  if (isActivePlan(plan)) {
    if (plan.markdown === made.markdown) return false;
    if (abandons(plan, made.body))
      turn.emit({ event: "plan", data: { plan: { ...plan, status: "abandoned" } } });
  }
  const { drafts } = await install(turn.state.plan, made, { source: "model", ...from, mode });
  for (const draft of drafts) turn.emit(draft);
  return true;
}

/**
 * `submit` for a text. Beside a plan that was made in this turn, a text that only says it again, in fewer words, leaves it
 * as it is. To a plan that the person has seen every difference counts: they may have asked for it.
 */
export async function submitText(turn: ToolTurn, text: string, from: SubmissionOrigin): Promise<boolean> {
  const { plan } = turn.state;
  const made = proposedText(text, beforeOf(turn));
  if (isActivePlan(plan) && isFresh(turn) && restates(made.body, plan, text)) return false;
  return submit(turn, made, from);
}

/** Whether the plan was installed or changed by the model in this turn. */
export function isFresh({ env, state }: ToolTurn): boolean {
  const { plan } = state;
  const posted = env.request.plan;
  return plan?.source === "model" && (posted?.version !== plan.version || posted.hash !== plan.hash);
}
