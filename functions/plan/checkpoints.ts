// Reports of progress, taken one by one, each with its check and, if that failed, with `onFail` (PROTOCOL 7
// "Execution").
import * as z from "zod/mini";
import type { TurnEvent } from "../../shared/event.ts";
import { isOnlyCheck } from "../../shared/plan/only-check.ts";
import type { Checkpoint, Plan, Step } from "../../shared/plan/plan-file.ts";
import { activeStep, currentStep, findStep, isFinished, withStep } from "../../shared/plan/steps.ts";
import { endChecks } from "../../shared/plan/undecided-ends.ts";
import { type CallResult, ExecValue } from "../../shared/sandbox.ts";
import { unknownOutcome } from "../calls/permission.ts";
import type { Outcome, PendingCall, Waits } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { baselines } from "./baseline.ts";
import { checkCall, checkEnd, notChecked, passedOutput, unaskedChecks } from "./checks.ts";
import { judge, report, reportFailed } from "./plan-record.ts";
import type { Progress, Report } from "./progress.ts";
import { beginStep, beginText, snapshotOf } from "./rail.ts";

// Most checks pass, so the code for those that do not is loaded when needed.
const unpassed = () => import("./unpassed-check.ts");

/** Takes the reports of one call. `said`: sentences of its result so far. */
export async function* takeReports(
  turn: ToolTurn,
  pending: PendingCall,
  { reports, remarks, refusal, untouched = false }: Progress,
  said: string[],
): AsyncGenerator<TurnEvent, Outcome | Waits> {
  let at = pending.at;
  let begun: string | undefined;
  let endsRound: string | undefined;
  const queue = [...reports];
  for (let index = 0; queue[0]; index += 1) {
    const given = queue[0];
    queue.shift();
    const { plan } = turn.state;
    const step = findStep(plan, given.stepId);
    if (!plan || !step) continue;
    const number = index === 0 ? "" : String(index + 1);
    let taken = given;
    if (given.status === "failed" && !turn.env.isOlder) {
      const { actOn, failedStep } = await unpassed();
      const act = actOn(turn, step);
      reportFailed(turn, pending, { ...given, act: act.act, index, at });
      if (act.act !== "skip") return yield* failedStep(turn, pending, { step, act, head: said, at });
      taken = { ...given, status: "skipped" };
    }
    const next = nextAfter(turn, plan, taken);
    const snapshot = snapshotOf(taken.status === "active" ? step : next, `${pending.key}/snap${number}`);
    const check = taken.status === "done" ? step.checkpoint : null;
    const calls = [
      ...(check ? [checkCall(turn, pending, { key: `${pending.key}/cp${number}`, check })] : []),
      ...snapshot,
    ];
    const results = calls.length > 0 ? yield* turn.runCalls(calls) : [];
    at = results.at(-1)?.at ?? at;
    const snapped = snapshot.length > 0 ? results.at(-1) : undefined;
    if (taken.status === "active") {
      executing(turn);
      beginStep(turn, step, snapped);
      begun = step.id;
      continue;
    }
    if (check) {
      const checked = yield* afterCheck(turn, pending, {
        step,
        check,
        note: given.note,
        index,
        result: results[0],
        said,
        at,
        untouched,
      });
      if (checked.kind === "ends") return checked.outcome;
      if (checked.kind === "skips") {
        taken = { ...taken, status: "skipped", note: "its checkpoint failed", noteBy: "engine" };
        endsRound = `not run: the checkpoint of step ${step.id} failed`;
      }
    } else
      said.push(
        `Step ${step.id} is ${taken.status}. ${taken.status === "done" ? notChecked.noCheck : notChecked.skipped}`,
      );
    changeStatus(turn, taken);
    if (!next) continue;
    beginStep(turn, next, snapped);
    begun = next.id;
    if (!queue.some(({ stepId }) => stepId === next.id) && runsByItself(turn, next))
      queue.unshift({ stepId: next.id, status: "done", ...byItself });
  }
  const now = turn.state.plan && activeStep(turn.state.plan);
  if (now && now.id === begun) said.push(...beginText(now, now.snapshot));
  yield* finishIfOver(turn, pending, said);
  said.push(...remarks, ...(refusal === undefined ? [] : [`Not taken: ${refusal}.`]));
  return {
    ok: refusal === undefined,
    text: said.join("\n"),
    at,
    ...(endsRound === undefined ? {} : { endsRound, readsContinue: true as const }),
  };
}

/** The note of a step that finished without a report. */
export const byItself = { note: "its check ran by itself", noteBy: "engine" } as const;

/** Whether the engine reports the step itself: it is only a check, and nothing that runs with it needs a permission. */
export function runsByItself(turn: ToolTurn, step: Step): boolean {
  return isOnlyCheck(step) && runsUnasked(turn, step);
}

function isLastOpen({ state: { plan } }: ToolTurn, { id }: Step): boolean {
  return plan !== null && isFinished(withStep(plan, id, { status: "done" }));
}

/** Whether the step has a check, and nothing that runs with it needs a permission. */
export function runsUnasked(turn: ToolTurn, step: Step): boolean {
  const { plan } = turn.state;
  if (!plan || !step.checkpoint) return false;
  const last = isLastOpen(turn, step);
  const commands = [step.checkpoint, ...(last ? endChecks(plan).map(({ check }) => check) : [])].map(
    ({ command }) => command,
  );
  return unaskedChecks(turn, commands).size === 0;
}

/** The step that becomes active once this report is taken. */
function nextAfter(turn: ToolTurn, plan: Plan, { stepId, status }: Report): Step | undefined {
  if (turn.env.isOlder || status === "active" || status === "failed") return undefined;
  const next = currentStep(withStep(plan, stepId, { status }));
  return next?.status === "pending" ? next : undefined;
}

interface Checked {
  step: Step;
  check: Checkpoint;
  note: string | undefined;
  index: number;
  result: CallResult | undefined;
  said: string[];
  at: number;
  untouched: boolean;
}

type AfterCheck = { kind: "passed" } | { kind: "skips" } | { kind: "ends"; outcome: Outcome | Waits };

/** Records the check and its consequences. */
async function* afterCheck(
  turn: ToolTurn,
  pending: PendingCall,
  { step, check, note, index, result, said, at, untouched }: Checked,
): AsyncGenerator<TurnEvent, AfterCheck> {
  const unknown = unknownOutcome(pending, "exec", result, check.command);
  if (unknown) return { kind: "ends", outcome: unknown };
  if (result?.error?.code === "stopped") {
    const { stoppedCheck } = await unpassed();
    return { kind: "ends", outcome: stoppedCheck(step, { result, head: said, at }) };
  }
  const exec = result?.ok ? z.parse(ExecValue, result.value) : undefined;
  const judged = judge(exec);
  const act = judged === "failed" ? (await unpassed()).actOn(turn, step) : undefined;
  const problem = result?.error?.message;
  const end = checkEnd(check, exec, problem);
  const ms = result?.ms ?? 0;
  const key = `${pending.key}/base${index === 0 ? "" : index + 1}`;
  const failedNow =
    exec && judged === "failed" ? [{ key, check, ms, ...(untouched ? { is: result } : {}) }] : [];
  const before = (yield* baselines(turn, failedNow)).get(check.command);
  report(turn, pending, {
    step,
    check,
    index,
    at: result?.at ?? at,
    ms,
    exec,
    end,
    ...(judged === "not_run" ? { problem, note } : {}),
    act: act?.act,
    before,
  });
  if (judged === "passed") {
    said.push(`Step ${step.id} is done: its check passed. ${passedOutput(check, exec)}`);
    return { kind: "passed" };
  }
  if (!act) {
    const { couldNotRun, outOfTime } = await unpassed();
    if (judged === "not_run")
      return { kind: "ends", outcome: couldNotRun(turn, { step, end, head: said, at }) };
    return { kind: "ends", outcome: outOfTime(turn, { step, check, exec, head: said, at }) };
  }
  const { failedStep, failureText } = await unpassed();
  const failed = { exec, end, before, untouched };
  if (act.act !== "skip") {
    const outcome = yield* failedStep(turn, pending, { step, act, head: said, at, check: failed });
    return { kind: "ends", outcome };
  }
  said.push(
    failureText(step, failed),
    `Step ${step.id} is skipped, as the plan says.${isLastOpen(turn, step) ? "" : " Continue with the next step."}`,
  );
  return { kind: "skips" };
}

async function* finishIfOver(
  turn: ToolTurn,
  pending: PendingCall,
  said: string[],
): AsyncGenerator<TurnEvent> {
  if (turn.state.plan?.status !== "executing" || !isFinished(turn.state.plan)) return;
  const { finishPlan } = await import("./finish-plan.ts");
  yield* finishPlan(turn, pending, said);
}

/** Emits the change; the first progress makes the plan `executing`. */
function changeStatus(turn: ToolTurn, { stepId, status, note, noteBy = "model" }: Report): void {
  if (status === "done" || !turn.env.isOlder) executing(turn);
  turn.emit({ event: "step", data: { stepId, status, ...(note === undefined ? {} : { note, noteBy }) } });
}

function executing(turn: ToolTurn): void {
  const { plan } = turn.state;
  if (plan && plan.status !== "executing")
    turn.emit({ event: "plan", data: { plan: { ...plan, status: "executing" } } });
}
