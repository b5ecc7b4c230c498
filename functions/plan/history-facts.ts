// Facts of a plan that its history tells: rounds of questions asked, files changed.
import * as z from "zod/mini";
import type { Message } from "../../shared/message.ts";
import { EditedFile } from "../../shared/plan/finish-summary.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { isAnswered, isFinish } from "../../shared/session/history.ts";
import type { Carried } from "../context/carried.ts";

/** Rounds of questions used so far: the plan's count, or without an active plan the answered calls since the last finish. */
export function roundsAsked(
  { plan, history }: { plan: Plan | null; history: readonly Message[] },
  carried: Carried,
): number {
  if (isActivePlan(plan)) return plan.round;
  const finished = history.findLastIndex(isFinish);
  const answered = history.slice(finished + 1).filter(isAnswered).length;
  return answered + (finished < 0 ? carried.asked : 0);
}

/** Whether the person rejected exactly the version with this hash after it was last installed. */
export function wasRejected(history: readonly Message[], hash: string): boolean {
  const last = history.findLast((message) => message.role === "plan" || "rejects" in message);
  return last?.role === "user" && last.rejects === hash;
}

const Edited = z.object({ files: z.array(EditedFile) });

/** Files that results of `messages` say were changed, added to `before`, each path once. */
export function withChangedFiles(messages: readonly Message[], before: readonly EditedFile[]): EditedFile[] {
  const byPath = new Map(before.map((file) => [file.path, file]));
  for (const message of messages) {
    if (message.role !== "tool" || !message.ok) continue;
    const edited = z.safeParse(Edited, message.meta?.facts);
    for (const { path, added, removed } of edited.success ? edited.data.files : []) {
      const old = byPath.get(path) ?? { path, added: 0, removed: 0 };
      byPath.set(path, { path, added: old.added + added, removed: old.removed + removed });
    }
  }
  return [...byPath.values()];
}
