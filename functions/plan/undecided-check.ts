// A check that neither passed nor failed: its limit ended it, or it was stopped. The step stays as it is.

import * as z from "zod/mini";
import { checkLimitMs, maxCheckMs } from "../../shared/plan/check-time.ts";
import type { Checkpoint, Step } from "../../shared/plan/plan-file.ts";
import { type CallResult, ExecValue } from "../../shared/sandbox.ts";
import type { Outcome } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { checkOutput } from "./check-text.ts";
import { notChecked } from "./not-checked.ts";

interface OutOfTime {
  step: Step;
  check: Checkpoint;
  exec: ExecValue | undefined;
  head: readonly string[];
  at: number;
}

/** The step stays as it is: a check that was cut short says nothing about it. */
export function outOfTime(turn: ToolTurn, { step, check, exec, head, at }: OutOfTime): Outcome {
  const limitMs = checkLimitMs(check);
  const note = `its check ran out of time after ${limitMs / 1_000} s`;
  turn.emit({ event: "step", data: { stepId: step.id, status: "active", note } });
  const more = Math.min(limitMs * 3, maxCheckMs);
  const advice =
    limitMs < maxCheckMs
      ? `Give it more time, up to ${maxCheckMs} ms: update_plan {"steps":[{"id":"${step.id}","checkpoint":{"command":"…","timeoutMs":${more}}}]} with the same command needs no approval.`
      : "It had the longest time that a check can have: split it into shorter ones.";
  return {
    ok: false,
    text: [
      ...head,
      `The checkpoint of step ${step.id} ran out of time. ${notChecked.outOfTime(check)}`,
      ...(exec ? [checkOutput(exec)] : []),
      `${advice} Then report step ${step.id} done again; or call ask_user.`,
    ].join("\n"),
    at,
    endsRound: `not run: the checkpoint of step ${step.id} ran out of time`,
    readsGoOn: true,
  };
}

interface StoppedCheck {
  result: CallResult;
  head: readonly string[];
  at: number;
}

/** The sandbox server ended it, and no person: nothing is reported of it. */
export function stoppedCheck({ id }: Step, { result, head, at }: StoppedCheck): Outcome {
  const exec = z.safeParse(ExecValue, result.value).data;
  return {
    ok: false,
    text: [
      ...head,
      `The checkpoint of step ${id} did not end. ${notChecked.stopped}`,
      ...(exec ? [checkOutput(exec)] : []),
      `Report step ${id} done again to run it.`,
    ].join("\n"),
    at,
    endsRound: `not run: the checkpoint of step ${id} did not end`,
    readsGoOn: true,
  };
}
