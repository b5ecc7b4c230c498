// What the journal says about a call that a stop left without a result: whether it began, and which check it was in.
import * as z from "zod/mini";
import type { Checkpoint, Plan } from "../../shared/plan/plan-file.ts";
import { activeStep } from "../../shared/plan/steps.ts";
import { endChecks } from "../../shared/plan/undecided-ends.ts";
import { type CallResult, ExecValue } from "../../shared/sandbox.ts";
import type { PendingCall } from "../calls/prepared.ts";
import { checkEnd, checkOutput, notChecked } from "../plan/check-text.ts";

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
  /** The command of the check it was running, and whether that had ended. */
  check?: { command: string; ended: boolean };
}

/** For a call that has no result under its own key. */
export function cutCall(turn: CallRecords, { call, key }: PendingCall): CutCall {
  const last = call.name === "update_plan" ? lastCheck(turn, key) : undefined;
  if (last) return inCheck(last);
  if (!turn.began(key)) return { text: neverBegan, ran: false };
  return {
    text: "stopped while it ran: what it had done stays, and is not known here",
    ran: true,
  };
}

interface BegunCheck {
  check: Checkpoint;
  result: CallResult | undefined;
}

/** The last check that had begun for the report under `key`. */
function lastCheck(turn: CallRecords, key: string): BegunCheck | undefined {
  const last = checksOf(turn.plan, key).findLast((check) => turn.began(check.key));
  return last && { check: last.check, result: turn.result(last.key) };
}

/** The check under `key` that was cut while it ran without a report from the model. */
export function cutByItself(turn: CallRecords, key: string): Checkpoint | undefined {
  const last = lastCheck(turn, key);
  return last && (!last.result || last.result.error?.code === stoppedCode) ? last.check : undefined;
}

/** The checks that a report of progress runs, in order: that of the active step, then those of the whole plan. */
function checksOf(plan: Plan | null, key: string): { key: string; check: Checkpoint }[] {
  const check = plan && activeStep(plan)?.checkpoint;
  const ofSteps = check
    ? plan.steps.map((_, index) => ({ key: `${key}/cp${index === 0 ? "" : index + 1}`, check }))
    : [];
  const ends = plan ? endChecks(plan) : [];
  return [...ofSteps, ...ends.map(({ check: end, number }) => ({ key: `${key}/end${number}`, check: end }))];
}

function inCheck({ check, result }: BegunCheck): CutCall {
  const exec = z.safeParse(ExecValue, result?.value).data;
  const how = result?.ok
    ? `Its check had ended: ${checkEnd(check, exec, undefined)}.`
    : `${notChecked.stopped}${exec ? " Its output until then:" : ""}`;
  const text = [
    `stopped: the person stopped the turn before the report was taken. ${how}`,
    ...(exec ? [checkOutput(exec)] : []),
  ].join("\n");
  const ended = result?.ok === true;
  return { text, ran: true, at: result?.at, check: { command: check.command, ended } };
}
