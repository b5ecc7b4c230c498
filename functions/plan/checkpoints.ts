// What follows a report of progress: checkpoint results, `onFail`, snapshots, the end of the plan (PROTOCOL 7 "Execution").

import * as z from "zod/mini";
import type { TurnEvent } from "../../shared/event.ts";
import { checkLimitMs } from "../../shared/plan/check-time.ts";
import type { Checkpoint, OnFail, Step } from "../../shared/plan/plan-file.ts";
import { maxQuestionRounds } from "../../shared/plan/questions.ts";
import { findStep, isFinished } from "../../shared/plan/steps.ts";
import type { StatusChange } from "../../shared/plan/update-plan.ts";
import { type CallResult, ExecValue } from "../../shared/sandbox.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import { unknownOutcome } from "../tools/permission.ts";
import type { KeyedCall, Outcome, PendingCall, Waits } from "../tools/prepared.ts";
import type { ToolTurn } from "../tools/tool-turn.ts";
import { checkEnd, checkOutput } from "./check-text.ts";
import { finishPlan } from "./finish-plan.ts";
import { roundsAsked } from "./history-facts.ts";
import { report } from "./plan-record.ts";
import type { Progress } from "./progress.ts";
import { rollbackKey, rolledBack } from "./restore.ts";

interface Reported {
  progress: Progress;
  checks: (Checkpoint & { stepId: string })[];
  /** Sentences of the result so far. */
  said: string[];
  /** Of the checks in order, then of the snapshot. */
  results: CallResult[];
}

/** How often a step with `onFail: retry` may fail before it is treated as `ask`. */
const maxRetries = 2;

/** Applies a report of progress once its checkpoints have run and its snapshot is taken. */
export async function* finishUpdate(
  turn: ToolTurn,
  pending: PendingCall,
  { progress, checks, said, results }: Reported,
): AsyncGenerator<TurnEvent, Outcome | Waits> {
  const at = results.at(-1)?.at ?? pending.at;
  for (const change of progress.others) step(turn, change);
  for (const change of progress.ends) {
    const index = checks.findIndex((check) => check.stepId === change.stepId);
    const check = checks[index];
    if (!check) {
      step(turn, change);
      said.push(`Step ${change.stepId} is done; it has no check.`);
      continue;
    }
    const result = results[index];
    const unknown = unknownOutcome(pending, "exec", result, check.command);
    if (unknown) return unknown;
    const exec = result?.ok ? z.parse(ExecValue, result.value) : undefined;
    const passed = exec?.exitCode === 0 && !exec.timedOut;
    const end = checkEnd(check, exec, result?.error?.message);
    const { stepId, command } = check;
    const ran = { index, at: result?.at ?? at, ms: result?.ms ?? 0, passed, exec, end };
    report(turn, pending, { stepId, command, ...ran });
    if (!passed) {
      const output = [end, ...(exec ? [checkOutput(exec)] : [])].join("\n");
      return yield* checkpointFailed(turn, pending, { change, end, output, said, at });
    }
    step(turn, change);
    said.push(`Step ${change.stepId} is done: its check passed.`);
  }
  if (progress.starts) start(turn, progress.starts, results.at(-1), said);
  yield* finishIfOver(turn, pending, said);
  return { ok: true, text: said.join("\n"), at };
}

async function* finishIfOver(
  turn: ToolTurn,
  pending: PendingCall,
  said: string[],
): AsyncGenerator<TurnEvent> {
  if (turn.state.plan?.status === "executing" && isFinished(turn.state.plan))
    yield* finishPlan(turn, pending, said);
}

function step(turn: ToolTurn, { stepId, status, note }: StatusChange, snapshot?: string): void {
  if (status === "active" || status === "done") executing(turn);
  turn.emit({
    event: "step",
    data: {
      stepId,
      status,
      ...(note === undefined ? {} : { note }),
      ...(snapshot === undefined ? {} : { snapshot }),
    },
  });
}

/** The first progress makes the plan `executing`. */
function executing(turn: ToolTurn): void {
  const { plan } = turn.state;
  if (plan && plan.status !== "executing")
    turn.emit({ event: "plan", data: { plan: { ...plan, status: "executing" } } });
}

function start(turn: ToolTurn, change: StatusChange, result: CallResult | undefined, said: string[]): void {
  const begun = findStep(turn.state.plan, change.stepId);
  const taken = begun?.snapshot ?? (result?.ok ? z.parse(SnapshotValue, result.value).snapshot : undefined);
  step(turn, change, taken);
  said.push(
    `Step ${change.stepId} is active${taken === undefined ? "; no snapshot could be taken, so it cannot be undone" : ""}.`,
  );
  if (!begun) return;
  said.push(begun.description);
  for (const [name, lines] of conditions(begun))
    if (lines.length > 0) said.push(`${name}: ${lines.join("; ")}`);
  if (begun.checkpoint)
    said.push(
      `Its check runs when it is reported done, for ${checkLimitMs(begun.checkpoint) / 1000} s at most.`,
    );
}

function conditions(begun: Step): [string, string[]][] {
  return [
    ["Before", begun.preconditions],
    ["Actions", begun.actions],
    ["After", begun.postconditions],
  ];
}

interface Failure {
  change: StatusChange;
  end: string;
  output: string;
  said: string[];
  at: number;
}

async function* checkpointFailed(
  turn: ToolTurn,
  pending: PendingCall,
  { change, end, output, said, at }: Failure,
): AsyncGenerator<TurnEvent, Outcome | Waits> {
  const failedStep = findStep(turn.state.plan, change.stepId);
  const act = failedStep ? effectiveOnFail(turn, failedStep) : "ask";
  const head = [...said, `The checkpoint of step ${change.stepId} failed: ${output}`].join("\n");
  const outcome = (advice: string, more: Partial<Outcome> = {}): Outcome => ({
    ok: false,
    text: `${head}\n${advice}`,
    at,
    endsRound: `not run: the checkpoint of step ${change.stepId} failed`,
    readsGoOn: true,
    ...more,
  });
  if (act === "skip") {
    step(turn, { stepId: change.stepId, status: "skipped", note: "its checkpoint failed" });
    const next = [`Step ${change.stepId} is skipped, as the plan says. Go on with the next step.`];
    yield* finishIfOver(turn, pending, next);
    return { ...outcome(next.join("\n")), ok: true };
  }
  step(turn, { stepId: change.stepId, status: "failed", note: `its check failed: ${end}` });
  if (act === "retry") return outcome(`Mend what is wrong, then report step ${change.stepId} done again.`);
  if (act === "stop") return outcome("The plan says to stop here.", { endsTurn: "stop" });
  if (act === "rollback" && failedStep?.snapshot !== undefined) {
    const restore: KeyedCall = {
      key: rollbackKey(pending),
      op: "restore",
      args: { snapshot: failedStep.snapshot },
    };
    const [result] = yield* turn.runCalls([restore]);
    const { drafts, text } = rolledBack(turn.state, pending, { stepId: change.stepId, result });
    for (const draft of drafts) turn.emit(draft);
    return outcome(text);
  }
  return outcome("Call ask_user: say what failed in 1 to 3 lines and ask how to go on.");
}

/** `retry` becomes `ask` after two failures, and `ask` becomes `stop` when no round of questions is left. */
function effectiveOnFail(turn: ToolTurn, failedStep: Step): OnFail {
  // Counted since the plan was written or rewound: before that, the id may have named another step.
  const since = turn.state.history.findLastIndex(
    (message) =>
      message.role === "plan" || (message.role === "event" && message.extra.event.source === "rewind"),
  );
  const failures = turn.state.history
    .slice(since + 1)
    .filter(
      (message) =>
        message.role === "event" &&
        message.extra.event.subkind === "verifier_report" &&
        message.extra.event.data.stepId === failedStep.id &&
        message.extra.event.data.passed === false,
    ).length;
  const act = failedStep.onFail === "retry" && failures > maxRetries ? "ask" : failedStep.onFail;
  return act === "ask" && roundsAsked(turn.state, turn.env.carried) >= maxQuestionRounds ? "stop" : act;
}
