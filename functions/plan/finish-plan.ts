// The end of an executed plan: its own checkpoints, then the finish summary.
import * as z from "zod/mini";
import type { TurnEvent } from "../../shared/event.ts";
import { type EditedFile, finishSummary, finishText } from "../../shared/plan/finish-summary.ts";
import type { Checkpoint, Plan } from "../../shared/plan/plan-file.ts";
import { type CallResult, ExecValue, GitValue } from "../../shared/sandbox.ts";
import type { KeyedCall, PendingCall } from "../tools/prepared.ts";
import type { ToolTurn } from "../tools/tool-turn.ts";
import { checkCall, checkEnd, checkOutput } from "./check-text.ts";
import { report, runRecord } from "./plan-record.ts";

/** The checkpoints of the whole plan that have a command. */
export function planChecks({ checkpoints }: Plan): Checkpoint[] {
  return checkpoints.filter((checkpoint) => typeof checkpoint !== "string");
}

/** Plan-level checkpoints with a command, then the finish summary; the plan is done. */
export async function* finishPlan(
  turn: ToolTurn,
  pending: PendingCall,
  said: string[],
): AsyncGenerator<TurnEvent> {
  const { plan } = turn.state;
  if (!plan) return;
  const checks = planChecks(plan);
  const calls: KeyedCall[] = checks.map((check, index) => checkCall(`${pending.key}/end${index + 1}`, check));
  const since = plan.steps.find((step) => step.snapshot !== undefined)?.snapshot;
  if (since !== undefined)
    calls.push({ key: `${pending.key}/files`, op: "git", args: { verb: "diff", since, stat: true } });
  const results = calls.length > 0 ? yield* turn.runCalls(calls) : [];
  const at = results.at(-1)?.at ?? pending.at;
  checks.forEach((check, index) => {
    const result = results[index];
    const exec = result?.ok ? z.parse(ExecValue, result.value) : undefined;
    const passed = exec?.exitCode === 0 && !exec.timedOut;
    const end = checkEnd(check, exec, result?.error?.message);
    const { command } = check;
    report(turn, pending, { command, index: 100 + index, at, ms: result?.ms ?? 0, passed, exec, end });
    said.push(
      passed
        ? `The plan's check ${index + 1} passed.`
        : [`The plan's check ${index + 1} failed: ${end}`, ...(exec ? [checkOutput(exec)] : [])].join("\n"),
    );
  });
  const record = runRecord(turn.state.history, turn.env.carried.files);
  const summary = finishSummary(plan, {
    ...record,
    files: filesOf(results[checks.length]) ?? record.files,
  });
  turn.emit({ event: "plan", data: { plan: { ...plan, status: "done" } } });
  turn.note({
    id: `${pending.call.id}.finish`.slice(0, 300),
    at,
    subkind: "verifier_report",
    source: "finish",
    content: finishText(summary),
    data: { ...summary },
  });
  said.push("All steps are finished; the summary follows.");
}

/** Files changed since the first step began, by commands and rollbacks too; undefined where that is not known. */
function filesOf(result: CallResult | undefined): EditedFile[] | undefined {
  if (!result?.ok) return undefined;
  const { stdout } = z.parse(GitValue, result.value);
  return [...stdout.matchAll(/(\d+|-)\t(\d+|-)\t([^\0]+)\0/g)].map(([, added, removed, path = ""]) => ({
    path,
    // Binary files have no lines.
    added: Number(added) || 0,
    removed: Number(removed) || 0,
  }));
}
