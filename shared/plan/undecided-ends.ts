// Checks of the whole plan that neither passed nor failed, because they could not be run or timed out. The plan is not
// finished until they are run again, or the person says that it is.
import type { Message } from "../message.ts";
import { isEventOf, isFinish } from "../session/history.ts";
import { checkLimitMs, maxCheckMs, moreTime } from "./check-time.ts";
import type { Checkpoint, Plan } from "./plan-file.ts";

/** A check of the whole plan, with its number among them (from 1). */
export interface EndCheck {
  check: Checkpoint;
  number: number;
}

/** The checks of the whole plan that are commands. */
export function endChecks({ checkpoints }: Pick<Plan, "checkpoints">): EndCheck[] {
  return checkpoints
    .flatMap((checkpoint) => (typeof checkpoint === "string" ? [] : [checkpoint]))
    .map((check, index) => ({ check, number: index + 1 }));
}

export interface UndecidedEnd extends EndCheck {
  /** After `out_of_time`, `check` has a longer time limit. */
  how: "not_begun" | "not_run" | "out_of_time";
  /** Time limit of the run that gave no result; for `not_begun`, that of the first run. */
  limitMs: number;
}

/**
 * The undecided checks, according to the newest report on each since the last plan ended. A check that timed out with
 * the longest possible limit is not tried again.
 */
export function undecidedEnds(plan: Pick<Plan, "checkpoints">, history: readonly Message[]): UndecidedEnd[] {
  return endChecks(plan).flatMap((end): UndecidedEnd[] => {
    const { check } = end;
    const report = history.findLast((message) => isFinish(message) || isReportOf(message, check));
    if (report?.role !== "event" || isFinish(report))
      return [{ ...end, how: "not_begun", limitMs: checkLimitMs(check) }];
    const { notRun, timedOut, limitMs } = report.extra.event.data;
    const ranMs = typeof limitMs === "number" ? limitMs : checkLimitMs(check);
    if (notRun !== undefined) return [{ ...end, how: "not_run", limitMs: ranMs }];
    if (timedOut !== true || ranMs >= maxCheckMs) return [];
    const timeoutMs = Math.min(ranMs * moreTime, maxCheckMs);
    return [{ ...end, check: { ...check, timeoutMs }, how: "out_of_time", limitMs: ranMs }];
  });
}

function isReportOf(message: Message, { command }: Checkpoint): boolean {
  if (!isEventOf(message, "verifier_report")) return false;
  const { data } = message.extra.event;
  return data.stepId === undefined && data.command === command;
}
