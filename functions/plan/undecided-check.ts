// A check that neither passed nor failed: its limit ended it, it was stopped, or the sandbox could not run it. The step
// stays as it is.
import * as z from "zod/mini";
import { checkLimitMs, maxCheckMs, moreTime } from "../../shared/plan/check-time.ts";
import type { Checkpoint, Step } from "../../shared/plan/plan-file.ts";
import { type CallResult, ExecValue } from "../../shared/sandbox.ts";
import type { Outcome } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { checkOutput } from "./check-text.ts";
import { notChecked, wasNotRun } from "./not-checked.ts";

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
  turn.emit({ event: "step", data: { stepId: step.id, status: "active", note, noteBy: "engine" } });
  const more = Math.min(limitMs * moreTime, maxCheckMs);
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

interface UnrunCheck {
  step: Step;
  /** How it ended, with why. */
  end: string;
  head: readonly string[];
  at: number;
}

/**
 * The step stays active, to be reported again: the command may be too long, and what the sandbox lacks may be there again.
 * The second time in a turn ends it: the person can retry.
 */
export function couldNotRun(turn: ToolTurn, { step, end, head, at }: UnrunCheck): Outcome {
  const { id } = step;
  const note = end.replace(/^it /, "its check ");
  turn.emit({ event: "step", data: { stepId: id, status: "active", note, noteBy: "engine" } });
  const own = turn.state.history.slice(turn.env.request.messages.length);
  const again = own.filter((message) => wasNotRun(message, id)).length > 1;
  return {
    ok: false,
    text: [
      ...head,
      `The checkpoint of step ${id} ${end.replace(/^it /, "")}`,
      notChecked.notRun,
      again
        ? "It was tried twice: the turn ends here, and the person can run it again."
        : `Report step ${id} done again to run it once more. If the command itself is the reason, change it first with update_plan.`,
    ].join("\n"),
    at,
    endsRound: `not run: the checkpoint of step ${id} could not be run`,
    readsGoOn: true,
    ...(again ? { endsTurn: "stop" as const } : {}),
  };
}

interface StoppedCheck {
  result: CallResult;
  head: readonly string[];
  at: number;
}

/** The sandbox server ended it, not the person: report nothing. */
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
