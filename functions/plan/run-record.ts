// What the history tells of a plan's run: checks, changed files, rollbacks. Read off the same events the person saw.
import * as z from "zod/mini";
import type { EventMessage, Message, ToolMessage } from "../../shared/message.ts";
import { ChangedFile, type CheckResult, type RunRecord } from "../../shared/plan/finish-summary.ts";

const Edited = z.object({ files: z.array(ChangedFile) });

/** Everything since the last finished plan. */
export function runRecord(history: readonly Message[]): RunRecord {
  const from =
    history.findLastIndex((message) => isReport(message) && message.extra.event.data.kind === "finish") + 1;
  const since = history.slice(from);
  const reports = since.filter(isReport).map((message) => message.extra.event.data);
  return {
    checks: reports.filter((data) => data.kind === "checkpoint").map(toCheck),
    files: changedFiles(since.filter((message): message is ToolMessage => message.role === "tool")),
    rollbacks: [
      ...new Set(reports.filter((data) => data.kind === "rollback").map((data) => String(data.stepId))),
    ],
  };
}

function isReport(message: Message): message is EventMessage {
  return message.role === "event" && message.extra.event.subkind === "verifier_report";
}

function toCheck(data: Record<string, unknown>): CheckResult {
  return {
    ...(typeof data.stepId === "string" ? { stepId: data.stepId } : {}),
    command: String(data.command),
    exitCode: typeof data.exitCode === "number" ? data.exitCode : null,
  };
}

function changedFiles(results: readonly ToolMessage[]): ChangedFile[] {
  const byPath = new Map<string, ChangedFile>();
  for (const { ok, meta } of results) {
    const edited = z.safeParse(Edited, meta?.facts);
    if (!ok || !edited.success) continue;
    for (const { path, added, removed } of edited.data.files) {
      const before = byPath.get(path) ?? { path, added: 0, removed: 0 };
      byPath.set(path, { path, added: before.added + added, removed: before.removed + removed });
    }
  }
  return [...byPath.values()];
}
