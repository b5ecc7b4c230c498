// A call that a stop left without a result of its own, as far as the journal tells: it never began, or was cut, and where.
import * as z from "zod/mini";
import type { Checkpoint, Plan } from "../../shared/plan/plan-file.ts";
import { activeStep } from "../../shared/plan/steps.ts";
import { type CallResult, ExecValue } from "../../shared/sandbox.ts";
import type { PendingCall } from "../calls/prepared.ts";
import { checkEnd, checkOutput } from "../plan/check-text.ts";
import { endChecks } from "../plan/finish-plan.ts";
import { notChecked } from "../plan/not-checked.ts";

/** Error code of a call that the stop ended. */
export const stoppedCode = "stopped";
/** The whole result of a call of which nothing had begun. */
export const neverBegan = "not run: the person stopped the turn before this began";

/** What the journal holds of the turn's calls. `began`: the call, or its result, is there. */
export interface CallRecords {
  plan: Plan | null;
  result(key: string): CallResult | undefined;
  began(key: string): boolean;
}

export interface CutCall {
  /** What the model reads as its result. */
  text: string;
  ran: boolean;
  at?: number | undefined;
  /** The command of the check that it was in. */
  check?: string;
}

/** For a call that has no result under its own key. */
export function cutCall(turn: CallRecords, { call, key }: PendingCall): CutCall {
  const checks = call.name === "update_plan" ? checksOf(turn.plan, key) : [];
  const last = checks.findLast((check) => turn.began(check.key));
  if (last) return inCheck(last.check, turn.result(last.key));
  if (!turn.began(key)) return { text: neverBegan, ran: false };
  return {
    text: "stopped while it ran: what it had done until then stays, and is not known here",
    ran: true,
  };
}

/** What runs when progress is reported, in its order: the check of the active step, then those of the whole plan. */
function checksOf(plan: Plan | null, key: string): { key: string; check: Checkpoint }[] {
  const check = plan && activeStep(plan)?.checkpoint;
  const ofSteps = check
    ? plan.steps.map((_, index) => ({ key: `${key}/cp${index === 0 ? "" : index + 1}`, check }))
    : [];
  const ends = plan ? endChecks(plan) : [];
  return [...ofSteps, ...ends.map((end, index) => ({ key: `${key}/end${index + 1}`, check: end }))];
}

function inCheck(check: Checkpoint, result: CallResult | undefined): CutCall {
  const exec = z.safeParse(ExecValue, result?.value).data;
  const how = result?.ok
    ? `Its check had ended: ${checkEnd(check, exec, undefined)}.`
    : `${notChecked.stopped}${exec ? " Its output until then:" : ""}`;
  const text = [
    `stopped: the person stopped the turn before the report was taken. ${how}`,
    ...(exec ? [checkOutput(exec)] : []),
  ].join("\n");
  return { text, ran: true, at: result?.at, check: check.command };
}
