// What comes of a step whose check did not pass: `onFail`, with the count of its attempts; or more time, where the check
// had too little.
import type { TurnEvent } from "../../shared/event.ts";
import { type CheckBefore, failedBefore } from "../../shared/plan/check-before.ts";
import type { OnFail, Step } from "../../shared/plan/plan-file.ts";
import { maxQuestionRounds } from "../../shared/plan/questions.ts";
import type { ExecValue } from "../../shared/sandbox.ts";
import { isEventOf } from "../../shared/session/history.ts";
import type { KeyedCall, Outcome, PendingCall } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { baselineText } from "./baseline.ts";
import { checkOutput } from "./check-text.ts";
import { roundsAsked, stepsOpenedAt } from "./history-facts.ts";
import { tellsFailure } from "./plan-record.ts";
import { rollbackKey, rolledBack } from "./restore.ts";

/** How often a step with `onFail: retry` is tried before it is treated as `ask`. */
const maxAttempts = 3;

/** What the engine does about a failure. `attempt`: how many there were with this one. */
export interface Act {
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
  /** How its check failed; absent where the model itself says that the step did. */
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

/** Every `onFail` but `skip`. The later calls of the same answer do not run. */
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
    readsGoOn: true,
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
      rail: turn.env.rail,
    });
    for (const draft of drafts) turn.emit(draft);
    return outcome(text);
  }
  const { plan } = turn.state;
  const isLast = plan?.steps.at(-1)?.id === step.id;
  return outcome(
    `${isLast ? "The plan waits" : "The later steps wait"} for the person. Call ask_user: say what failed in 1 to 3 lines and ask how to go on.`,
  );
}

/** The step is open to another attempt at once. */
function tryAgain(turn: ToolTurn, { id }: Step, attempt: number): void {
  if (!turn.env.rail) return;
  const note = `attempt ${attempt + 1} of ${maxAttempts}: ${attempt === 1 ? "one" : attempt} failed`;
  turn.emit({ event: "step", data: { stepId: id, status: "active", note, noteBy: "engine" } });
}
