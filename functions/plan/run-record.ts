// What the history tells of a plan's run: checks, changed files, rollbacks. Read off the same events the person saw.
import type { EventMessage, Message, PlanMessage } from "../../shared/message.ts";
import type { ChangedFile, CheckResult, RunRecord } from "../../shared/plan/finish-summary.ts";
import { abandons } from "../../shared/plan/set-plan.ts";
import { beginsPlan, isFinish } from "../../shared/session/history.ts";
import { changedFiles } from "./changed-files.ts";

/** Everything since the plan in force began. `before`: files changed before the first of `history`. */
export function runRecord(history: readonly Message[], before: readonly ChangedFile[]): RunRecord {
  const start = history.findLastIndex((message, at) => isFinish(message) || isOther(message, history, at));
  const since = history.slice(start + 1);
  const reports = since.filter(isReport).map((message) => message.extra.event.data);
  return {
    checks: reports.filter((data) => data.kind === "checkpoint").map(toCheck),
    files: changedFiles(since, start < 0 ? before : []),
    rollbacks: [...new Set(since.filter(tookBack).map(({ extra }) => String(extra.event.data.stepId)))],
  };
}

/** A first version, or one that gave up the plan before it: what was done for that one is none of its own. */
function isOther(message: Message, history: readonly Message[], at: number): boolean {
  if (message.role !== "plan") return false;
  const before = history.findLast(
    (other, index): other is PlanMessage => index < at && other.role === "plan",
  );
  const { plan } = message.extra;
  return beginsPlan(message) || (!!before && abandons({ ...before.extra.plan, status: "executing" }, plan));
}

function isReport(message: Message): message is EventMessage {
  return message.role === "event" && message.extra.event.subkind === "verifier_report";
}

/** Files were restored: by the plan's own rule, or by the person. */
function tookBack(message: Message): message is EventMessage {
  if (message.role !== "event") return false;
  const { source, data } = message.extra.event;
  return source === "rewind" || (source === "rollback" && data.restored === true);
}

function toCheck(data: Record<string, unknown>): CheckResult {
  return {
    ...(typeof data.stepId === "string" ? { stepId: data.stepId } : {}),
    command: String(data.command),
    exitCode: typeof data.exitCode === "number" ? data.exitCode : null,
  };
}
