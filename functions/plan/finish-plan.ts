// The end of an executed plan: its own checkpoints, then the finish summary. Loaded when a plan ends.
import * as z from "zod/mini";
import type { TurnEvent } from "../../shared/event.ts";
import { GitValue } from "../../shared/git.ts";
import type { AssistantMessage } from "../../shared/message.ts";
import type { EditedFile } from "../../shared/plan/edited-file.ts";
import { finishSummary, finishText } from "../../shared/plan/finish-summary.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { progressWords } from "../../shared/plan/steps.ts";
import {
  type EndCheck,
  endChecks,
  type UndecidedEnd,
  undecidedEnds,
} from "../../shared/plan/undecided-ends.ts";
import { type CallResult, ExecValue } from "../../shared/sandbox.ts";
import { planClosed } from "../../shared/session/history.ts";
import type { KeyedCall, PendingCall } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { baselines, baselineText } from "./baseline.ts";
import { checkCall, checkEnd, checkOutput, notChecked, passedOutput, unaskedChecks } from "./checks.ts";
import { judge, report, runRecord } from "./plan-record.ts";
import { stepNotice } from "./rail.ts";

/**
 * Checks of the whole plan, then the finish summary; the plan is then done. If a check could not be run or ran out of
 * time, the plan is not done: the person runs that check again (`only`), or says that the plan is finished.
 */
export async function* finishPlan(
  turn: ToolTurn,
  pending: PendingCall,
  said: string[],
  only?: readonly EndCheck[],
): AsyncGenerator<TurnEvent> {
  const { plan } = turn.state;
  if (!plan) return;
  const checks = only ?? endChecks(plan);
  // The call's gate already asked about every final check, so none should be left; any that is left does not run.
  const asked = pending.permitted ? [] : checks.map(({ check }) => check.command);
  const unasked = unaskedChecks(turn, asked);
  const runs = checks.filter(({ check }) => !unasked.has(check.command));
  const calls = [
    ...runs.map(({ check, number }) =>
      checkCall(turn, pending, { key: `${pending.key}/end${number}`, check }),
    ),
    ...filesCall(plan, `${pending.key}/files`),
  ];
  const results = calls.length > 0 ? yield* turn.runCalls(calls) : [];
  const at = results.at(-1)?.at ?? pending.at;
  const ran = runs.map(({ check, number }, index) => {
    const result = results[index];
    const exec = result?.ok ? z.parse(ExecValue, result.value) : undefined;
    const problem = result?.error?.message;
    return { check, number, exec, problem, ms: result?.ms ?? 0, end: checkEnd(check, exec, problem) };
  });
  const failed = ran.flatMap(({ check, number, exec, ms }) =>
    exec && judge(exec) === "failed" ? [{ key: `${pending.key}/endbase${number}`, check, ms }] : [],
  );
  const known = yield* baselines(turn, failed);
  for (const { check, number, exec, problem, ms, end } of ran) {
    const judged = judge(exec);
    const before = judged === "failed" ? known.get(check.command) : undefined;
    report(turn, pending, { check, index: 99 + number, at, ms, exec, end, problem, before });
    const how = judged === "failed" ? `failed: ${end}` : end.replace(/^it /, "");
    said.push(
      judged === "passed"
        ? `The plan's check ${number} passed. ${passedOutput(check, exec)}`
        : [
            `The plan's check ${number} ${how}`,
            ...(exec ? [checkOutput(exec)] : []),
            ...baselineText(before),
          ].join("\n"),
    );
  }
  for (const { check, number } of checks)
    if (unasked.has(check.command)) said.push(`The plan's check ${number}: ${notChecked.unasked}`);
  const undecided = undecidedEnds(plan, turn.state.history).filter(({ how }) => how !== "not_begun");
  if (!turn.env.isOlder && undecided.length > 0) {
    said.push(undecidedText(undecided));
    return;
  }
  summarise(turn, { id: `${pending.call.id}.finish`.slice(0, 300), at, files: results[runs.length] });
  said.push("All steps are finished; the summary follows.");
}

/** Ends a plan without steps when the model has stopped, with this message in this round. */
export async function* finishStepless(
  turn: ToolTurn,
  { id, createdAt }: AssistantMessage,
  round: number,
): AsyncGenerator<TurnEvent> {
  const call = { id: `${id}.ended`, name: "update_plan", arguments: "" };
  const key = `${turn.env.request.turnId}/${round}/ended`;
  const said: string[] = [];
  yield* finishPlan(turn, { call, key, at: createdAt, permitted: false }, said);
  const checks = said.slice(0, -1);
  if (checks.length === 0) return;
  turn.note({
    ...{ id: call.id, at: createdAt, subkind: "system_notice", source: stepNotice },
    ...{ content: checks.join("\n"), data: { tells: true } },
  });
}

function undecidedText(ends: readonly UndecidedEnd[]): string {
  const numbers = ends.map(({ number }) => number).join(", ");
  const which = ends.length === 1 ? `check ${numbers} has` : `checks ${numbers} have`;
  const time = ends.some(({ how }) => how === "out_of_time") ? ", with more time" : "";
  return `All steps are finished. The plan is not: its ${which} neither passed nor failed. The person can run it again${time}, or call the plan finished; say in a line what is done, and stop.`;
}

/**
 * The person ends the plan under way. `done`: the summary names the open steps; `abandoned`: it is left where it is.
 */
export async function* closePlan(turn: ToolTurn, as: "done" | "abandoned"): AsyncGenerator<TurnEvent> {
  const { plan, history } = turn.state;
  if (!plan) return;
  const { turnId } = turn.env.request;
  const [files] = yield* turn.runCalls(as === "done" ? filesCall(plan, `${turnId}/0/files`) : []);
  const at = files?.at ?? history.at(-1)?.createdAt ?? 0;
  if (as === "done") {
    summarise(turn, { id: `${turnId}.finish`, at, files, closedBy: "person" });
    return;
  }
  turn.emit({ event: "plan", data: { plan: { ...plan, status: "abandoned" } } });
  turn.note({
    id: `${turnId}.close`,
    at,
    subkind: "system_notice",
    source: planClosed,
    content: `The person left the plan as it is${plan.steps.length === 0 ? "" : `, with ${progressWords(plan)} steps done`}: it is no longer active, and the files stay as they are.`,
    data: { version: plan.version },
  });
}

interface Ending {
  id: string;
  at: number;
  /** What has changed since the first step began; undefined if that was not asked. */
  files: CallResult | undefined;
  closedBy?: "person";
}

function summarise(turn: ToolTurn, { id, at, files, closedBy }: Ending): void {
  const { plan } = turn.state;
  if (!plan) return;
  const record = runRecord(turn.state.history, turn.env.carried.files);
  const summary = finishSummary(plan, {
    ...record,
    files: changedFiles(files) ?? record.files,
    ...(closedBy === undefined ? {} : { closedBy }),
  });
  turn.emit({ event: "plan", data: { plan: { ...plan, status: "done" } } });
  turn.note({
    id,
    at,
    subkind: "verifier_report",
    source: "finish",
    content: finishText(summary),
    data: { ...summary },
  });
}

/** What this sandbox has changed since the first step that has a snapshot began. */
function filesCall(plan: Plan, key: string): KeyedCall[] {
  const since = plan.steps.find((step) => step.snapshot !== undefined)?.snapshot;
  return since === undefined
    ? []
    : [{ key, op: "git", args: { verb: "diff", since, stat: true, whose: "own" } }];
}

/** Files changed since the first step began, by commands and rollbacks too; undefined if that is not known. */
function changedFiles(result: CallResult | undefined): EditedFile[] | undefined {
  if (!result?.ok) return undefined;
  const { stdout } = z.parse(GitValue, result.value);
  return [...stdout.matchAll(/(\d+|-)\t(\d+|-)\t([^\0]+)\0/g)].map(([, added, removed, path = ""]) => ({
    path,
    // Binary files have no lines.
    added: Number(added) || 0,
    removed: Number(removed) || 0,
  }));
}
