// A step's check that did not pass. If it failed, the step's `onFail` decides. If it neither passed nor failed (its
// limit ended it, it was stopped, or the sandbox could not run it), the step stays as it is.
import * as z from "zod/mini";
import type { TurnEvent } from "../../shared/event.ts";
import { type CheckBefore, failedBefore } from "../../shared/plan/check-before.ts";
import { checkLimitMs, maxCheckMs, moreTime } from "../../shared/plan/check-time.ts";
import type { Checkpoint, OnFail, Step } from "../../shared/plan/plan-file.ts";
import { maxQuestionRounds } from "../../shared/plan/questions.ts";
import { type CallResult, ExecValue } from "../../shared/sandbox.ts";
import { isEventOf } from "../../shared/session/history.ts";
import type { KeyedCall, Outcome, PendingCall } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { baselineText } from "./baseline.ts";
import { checkOutput, notChecked, wasNotRun } from "./checks.ts";
import { roundsAsked, stepsOpenedAt } from "./history-facts.ts";
import { tellsFailure } from "./plan-record.ts";
import { rollbackKey, rolledBack } from "./restore.ts";

/** How often a step with `onFail: retry` is tried before it is treated as `ask`. */
const maxAttempts = 3;

/** What the engine does about a failure. `attempt`: how many there have been, including this one. */
interface Act {
  act: OnFail;
  attempt: number;
}

/** `retry` becomes `ask` after three attempts, and `ask` becomes `stop` when no round of questions is left. */
export function actOn(turn: ToolTurn, step: Step): Act {
  const { history } = turn.state;
  const before = history.slice(stepsOpenedAt(history) + 1).filter((message) => {
    if (!isEventOf(message, "verifier_report")) return false;
    const { data } = message.extra.event;
    return data.stepId === step.id && tellsFailure(data);
  });
  const attempt = before.length + 1;
  const wanted = step.onFail === "retry" && attempt >= maxAttempts ? "ask" : step.onFail;
  const act = wanted === "rollback" && step.snapshot === undefined ? "ask" : wanted;
  const noneLeft = act === "ask" && roundsAsked(turn.state, turn.env.carried) >= maxQuestionRounds;
  return { act: noneLeft ? "stop" : act, attempt };
}

interface FailedStep {
  step: Step;
  act: Act;
  /** Sentences of the result so far. */
  head: readonly string[];
  at: number;
  /** How its check failed; absent if the model itself says that the step did. */
  check?: { exec: ExecValue | undefined; end: string; before: CheckBefore | undefined; untouched?: boolean };
}

/** How a check failed, in words for the model. */
export function failureText(
  { id }: Step,
  { exec, end, before, untouched }: NonNullable<FailedStep["check"]>,
): string {
  return [
    `The checkpoint of step ${id} failed: ${end}`,
    ...(exec ? [checkOutput(exec)] : []),
    ...(untouched ? ["Nothing had been changed when it ran."] : baselineText(before)),
  ].join("\n");
}

/** What follows from a failure, for every `onFail` but `skip`. The later calls of the same answer do not run. */
export async function* failedStep(
  turn: ToolTurn,
  pending: PendingCall,
  { step, act: { act, attempt }, head, at, check }: FailedStep,
): AsyncGenerator<TurnEvent, Outcome> {
  const what = check ? `the checkpoint of step ${step.id} failed` : `step ${step.id} failed`;
  const said = [...head, check ? failureText(step, check) : `Step ${step.id} failed, as you say.`];
  const cannotRollBack = step.onFail === "rollback" && step.snapshot === undefined;
  if (cannotRollBack) said.push("Nothing was rolled back: no snapshot of its start could be taken.");
  const outcome = (advice: string, more: Partial<Outcome> = {}): Outcome => ({
    ok: false,
    text: [...said, advice].join("\n"),
    at,
    endsRound: `not run: ${what}`,
    readsContinue: true,
    ...more,
  });
  const why = check
    ? `its check failed: ${check.end}${failedBefore(check.before) ? "; failed before too" : ""}`
    : "the model says that it failed";
  const note = cannotRollBack ? `${why}; not rolled back: it has no snapshot` : why;
  turn.emit({ event: "step", data: { stepId: step.id, status: "failed", note, noteBy: "engine" } });
  if (act === "retry") {
    tryAgain(turn, step, attempt);
    return outcome(
      `Mend what is wrong, then report step ${step.id} done again: that was attempt ${attempt} of ${maxAttempts}.`,
    );
  }
  if (act === "stop") return outcome("The plan says to stop here.", { endsTurn: "stop" });
  if (act === "rollback" && step.snapshot !== undefined) {
    const restore: KeyedCall = {
      key: rollbackKey(pending),
      op: "restore",
      args: { snapshot: step.snapshot, own: true },
    };
    const [result] = yield* turn.runCalls([restore]);
    const { drafts, text } = rolledBack(turn.state, pending, {
      stepId: step.id,
      result,
      isOlder: turn.env.isOlder,
    });
    for (const draft of drafts) turn.emit(draft);
    return outcome(text);
  }
  const { plan } = turn.state;
  const isLast = plan?.steps.at(-1)?.id === step.id;
  return outcome(
    `${isLast ? "The plan waits" : "The later steps wait"} for the person. Call ask_user: say what failed in 1 to 3 lines and ask how to continue.`,
  );
}

/** Reopens the step for another attempt. */
function tryAgain(turn: ToolTurn, { id }: Step, attempt: number): void {
  if (turn.env.isOlder) return;
  const note = `attempt ${attempt + 1} of ${maxAttempts}: ${attempt === 1 ? "one" : attempt} failed`;
  turn.emit({ event: "step", data: { stepId: id, status: "active", note, noteBy: "engine" } });
}

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
    readsContinue: true,
  };
}

interface UnrunCheck {
  step: Step;
  /** How it ended, and why. */
  end: string;
  head: readonly string[];
  at: number;
}

/**
 * The step stays active, to be reported again: the model can shorten the command, and what the sandbox lacked may be
 * back. The second time in a turn, the turn ends: the person can retry.
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
    readsContinue: true,
    ...(again ? { endsTurn: "stop" as const } : {}),
  };
}

interface StoppedCheck {
  result: CallResult;
  head: readonly string[];
  at: number;
}

/** For a check that the sandbox server ended, not the person: nothing is recorded. */
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
    readsContinue: true,
  };
}
