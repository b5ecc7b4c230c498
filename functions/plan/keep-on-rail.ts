// Before the model is asked, the current step of a plan under way becomes active; one that is nothing but its check is
// checked at once.
import type { TurnEvent } from "../../shared/event.ts";
import { checkLimitMs } from "../../shared/plan/check-time.ts";
import type { Step } from "../../shared/plan/plan-file.ts";
import { activeStep, currentStep, findStep } from "../../shared/plan/steps.ts";
import type { PendingCall } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { runsByItself, takeReports } from "./checkpoints.ts";
import { beginStep, beginText, isHeldBack, snapshotOf, startKey, stepNotice } from "./rail.ts";

const howToReport =
  "Report it with update_plan: done with a one-line note, or skipped with a reason. It is checked then, and the next step is active by itself.";

/**
 * Nothing of the step is written yet, so the first one's snapshot is the workspace as it was approved. Returns whether the
 * turn is to end here, as the plan says for a check that failed.
 */
export async function* keepOnRail(turn: ToolTurn, round: number): AsyncGenerator<TurnEvent, boolean> {
  const { plan, mode, history } = turn.state;
  if (!turn.env.rail || mode === "plan" || plan?.status !== "executing") return false;
  const step = currentStep(plan);
  if (!step || isHeldBack(turn) || (step.status === "active" && !wasInterrupted(turn, step, round)))
    return false;
  const { turnId } = turn.env.request;
  const calls = snapshotOf(step, startKey(turn, round));
  // Said first: the request for the snapshot records it, so that it shows while the model thinks.
  if (calls.length > 0) turn.emit({ event: "step", data: { stepId: step.id, status: "active" } });
  const [result] = calls.length > 0 ? yield* turn.runCalls(calls) : [];
  const at = result?.at ?? history.at(-1)?.createdAt ?? 0;
  const again = step.status === "failed";
  const checks = turn.env.checksFirst && !again && runsByItself(turn, step);
  const snapshot = beginStep(turn, step, result, checks ? "its check runs by itself" : undefined);
  turn.note({
    id: `${turnId}.${round}.step`,
    at,
    subkind: "system_notice",
    source: stepNotice,
    content: [
      ...(again ? [`The person has had their say: step ${step.id}, which failed, is open again.`] : []),
      ...(checks ? [checkingText(step)] : [...beginText(step, snapshot), howToReport]),
    ].join("\n"),
    data: { stepId: step.id },
  });
  if (!checks) return false;
  const untouched = round === 0 && plan.steps.every((other) => other.snapshot === undefined);
  return yield* checkFirst(turn, step, { round, at, untouched });
}

function checkingText({ id, checkpoint }: Step): string {
  return `Step ${id} is active. It is only a check, so that runs now without your report, for ${checkLimitMs(checkpoint ?? {}) / 1_000} s at most.`;
}

/** Runs the check of a step that has just begun, and those after it that need no report either. */
async function* checkFirst(
  turn: ToolTurn,
  { id: stepId }: Step,
  { round, at, untouched }: { round: number; at: number; untouched: boolean },
): AsyncGenerator<TurnEvent, boolean> {
  const { turnId } = turn.env.request;
  const id = `${turnId}.${round}.checked`;
  const pending: PendingCall = {
    call: { id, name: "update_plan", arguments: "" },
    key: `${turnId}/${round}/checked`,
    at,
    permitted: false,
  };
  const report = { stepId, status: "done" as const, note: "its check ran by itself" };
  const taken = yield* takeReports(turn, pending, { reports: [report], remarks: [], untouched }, []);
  // Nobody knows whether it ran to its end: the model's report runs it again.
  const lost = taken.kind === "waits";
  const active = turn.state.plan && activeStep(turn.state.plan);
  turn.note({
    id,
    at: (lost ? undefined : taken.at) ?? at,
    subkind: "system_notice",
    source: stepNotice,
    content: [
      lost
        ? `How the check of step ${stepId} ended is not known: report the step done to run it.`
        : taken.text,
      ...(active && (lost || findStep(turn.state.plan, stepId)?.status === "done") ? [howToReport] : []),
    ].join("\n"),
    // Reports of the checks name it as what tells the model of them.
    data: { stepId: active?.id ?? stepId, tells: true },
  });
  return !lost && taken.endsTurn === "stop";
}

/** Whether the turn that began the step ended before its snapshot was taken: nothing of it can be written yet. */
function wasInterrupted({ state }: ToolTurn, step: Step, round: number): boolean {
  const told = state.history.some(
    (message) =>
      message.role === "event" &&
      message.extra.event.source === stepNotice &&
      message.extra.event.data.stepId === step.id,
  );
  return round === 0 && step.snapshot === undefined && !told;
}
