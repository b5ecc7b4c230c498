// What the history tells of a plan's run: checks, changed files, rollbacks. Read off the same events the person saw.
import type { EventMessage, Message } from "../../shared/message.ts";
import type { ChangedFile, CheckResult, RunRecord } from "../../shared/plan/finish-summary.ts";
import { isFinish } from "../../shared/session/history.ts";
import { changedFiles } from "../context/long-history.ts";

/** Everything since the last finished plan. `before`: files changed before the first of `history`. */
export function runRecord(history: readonly Message[], before: readonly ChangedFile[]): RunRecord {
  const finish = history.findLastIndex(isFinish);
  const since = history.slice(finish + 1);
  const reports = since.filter(isReport).map((message) => message.extra.event.data);
  return {
    checks: reports.filter((data) => data.kind === "checkpoint").map(toCheck),
    files: changedFiles(since, finish < 0 ? before : []),
    rollbacks: [...new Set(since.filter(tookBack).map(({ extra }) => String(extra.event.data.stepId)))],
  };
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
