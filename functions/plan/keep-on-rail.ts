// Before the model is asked, the current step of a plan in progress becomes active. A step that consists only of its check
// is checked at once.

import type { TurnEvent } from "../../shared/event.ts";
import type { Message } from "../../shared/message.ts";
import { checkLimitMs } from "../../shared/plan/check-time.ts";
import type { Plan, Step } from "../../shared/plan/plan-file.ts";
import { activeStep, currentStep, findStep, isFinished } from "../../shared/plan/steps.ts";
import { undecidedEnds } from "../../shared/plan/undecided-ends.ts";
import { isEventOf, isOfPlan } from "../../shared/session/history.ts";
import type { PendingCall } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { byItself, runsByItself, runsUnasked, takeReports } from "./checkpoints.ts";
import { wasNotRun } from "./checks.ts";
import { stepsOpenedAt } from "./history-facts.ts";
import type { Report } from "./progress.ts";
import { beginStep, beginText, checkedKey, isHeldBack, snapshotOf, startKey, stepNotice } from "./rail.ts";

const howToReport = "Report it with update_plan: done with a one-line note, or skipped with a reason.";

/**
 * Called before anything of the step is written, so the first step's snapshot shows the workspace as it was when the
 * plan was approved. Returns whether the turn is to end here, as the plan says for a check that failed.
 */
export async function* keepOnRail(turn: ToolTurn, round: number): AsyncGenerator<TurnEvent, boolean> {
  const { plan, mode, history } = turn.state;
  if (turn.env.isOlder || mode === "plan" || plan?.status !== "executing") return false;
  const step = currentStep(plan);
  if (!step) return yield* retryEnds(turn, plan, round);
  if (isHeldBack(turn)) return false;
  const { turnId } = turn.env.request;
  if (step.status === "active") {
    const retried = round === 0 ? retriedReport(turn, step) : undefined;
    if (retried) return yield* checkFirst(turn, retried, { round, at: history.at(-1)?.createdAt ?? 0 });
    if (!wasInterrupted(turn, step, round)) return false;
  }
  const calls = snapshotOf(step, startKey(turn, round));
  // Emitted first: the snapshot request journals it, so the client sees it while the model thinks.
  if (calls.length > 0) turn.emit({ event: "step", data: { stepId: step.id, status: "active" } });
  const [result] = calls.length > 0 ? yield* turn.runCalls(calls) : [];
  const at = result?.at ?? history.at(-1)?.createdAt ?? 0;
  const again = step.status === "failed";
  const checks = !turn.env.isOlder && !again && runsByItself(turn, step);
  const snapshot = beginStep(turn, step, result, checks ? "its check runs by itself" : undefined);
  turn.note({
    id: `${turnId}.${round}.step`,
    at,
    subkind: "system_notice",
    source: stepNotice,
    content: [
      ...(again ? [`The person has had their say on step ${step.id}, which failed.`] : []),
      ...(checks ? [checkingText(step)] : [...beginText(step, snapshot), howToReport]),
    ].join("\n"),
    data: { stepId: step.id },
  });
  if (!checks) return false;
  const untouched = round === 0 && plan.steps.every((other) => other.snapshot === undefined);
  return yield* checkFirst(turn, { stepId: step.id, status: "done", ...byItself }, { round, at, untouched });
}

function checkingText({ id, checkpoint }: Step): string {
  return `Step ${id} is active. It is only a check, so that runs now without your report, for ${checkLimitMs(checkpoint ?? {}) / 1_000} s at most.`;
}

/**
 * The report to repeat if the person continues a turn that ended with a check that could not run. Nothing was done or
 * said since, so the report still holds.
 */
function retriedReport(turn: ToolTurn, step: Step): Report | undefined {
  const { env, state } = turn;
  if (env.request.input.type !== "continue" || env.isOlder || !runsUnasked(turn, step)) return undefined;
  const at = state.history.findLastIndex((message) => wasNotRun(message, step.id));
  const report = state.history[at];
  if (!report || !isEventOf(report, "verifier_report")) return undefined;
  const { toolCallId, command, note } = report.extra.event.data;
  const since = state.history.slice(at + 1);
  const isDoing = (message: Message) =>
    message.role === "user" ||
    isOfPlan(message) ||
    (message.role === "tool" && message.toolCallId !== toolCallId);
  if (command !== step.checkpoint?.command || since.some(isDoing)) return undefined;
  return { stepId: step.id, status: "done", ...(typeof note === "string" ? { note } : byItself) };
}

/**
 * Continues a plan with finished steps and interrupted final checks: the checks that neither passed nor failed run
 * again, then the plan is finished. Returns true if it is still unfinished, so the turn ends without asking the model.
 */
async function* retryEnds(turn: ToolTurn, plan: Plan, round: number): AsyncGenerator<TurnEvent, boolean> {
  const { env, state } = turn;
  if (round > 0 || env.request.input.type !== "continue" || env.isOlder || !isFinished(plan)) return false;
  const pending = ownReport(turn, round, state.history.at(-1)?.createdAt ?? 0);
  const said: string[] = [];
  const { finishPlan } = await import("./finish-plan.ts");
  yield* finishPlan(turn, pending, said, undecidedEnds(plan, state.history));
  const data = { tells: true };
  const content = said.join("\n");
  turn.note({
    id: pending.call.id,
    at: pending.at,
    subkind: "system_notice",
    source: stepNotice,
    content,
    data,
  });
  return turn.state.plan?.status === "executing";
}

/** Takes the place of a call of the model: here the engine reports. */
function ownReport({ env }: ToolTurn, round: number, at: number): PendingCall {
  const { turnId } = env.request;
  const call = { id: `${turnId}.${round}.checked`, name: "update_plan", arguments: "" };
  return { call, key: checkedKey(turnId, round), at, permitted: false };
}

/** Takes a report that is the engine's own: runs the check, and those after it that need no report either. */
async function* checkFirst(
  turn: ToolTurn,
  report: Report,
  { round, at, untouched = false }: { round: number; at: number; untouched?: boolean },
): AsyncGenerator<TurnEvent, boolean> {
  const { stepId } = report;
  const pending = ownReport(turn, round, at);
  const taken = yield* takeReports(turn, pending, { reports: [report], remarks: [], untouched }, []);
  // Nobody knows whether it ran to its end, so the model's report runs it again.
  const lost = taken.kind === "waits";
  const active = turn.state.plan && activeStep(turn.state.plan);
  turn.note({
    id: pending.call.id,
    at: (lost ? undefined : taken.at) ?? at,
    subkind: "system_notice",
    source: stepNotice,
    content: [
      lost
        ? `How the check of step ${stepId} ended is not known: report the step done to run it.`
        : taken.text,
      ...(active && (lost || findStep(turn.state.plan, stepId)?.status === "done") ? [howToReport] : []),
    ].join("\n"),
    // Reports of checks refer to this notice, which tells the model about them.
    data: { stepId: active?.id ?? stepId, tells: true },
  });
  return !lost && taken.endsTurn === "stop";
}

/** Whether the turn that began the step ended before its snapshot was taken: none of it can be written yet. */
function wasInterrupted({ state }: ToolTurn, step: Step, round: number): boolean {
  const told = state.history
    .slice(stepsOpenedAt(state.history) + 1)
    .some(
      (message) =>
        message.role === "event" &&
        message.extra.event.source === stepNotice &&
        message.extra.event.data.stepId === step.id,
    );
  return round === 0 && step.snapshot === undefined && !told;
}
