// Facts of a plan that its history tells: rounds of questions asked, files changed.
import * as z from "zod/mini";
import type { Message, PlanMessage } from "../../shared/message.ts";
import { EditedFile } from "../../shared/plan/edited-file.ts";
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

/** Source of the notice that updates were folded into a version that says the same. */
export const planFold = "plan_fold";

/**
 * Where steps were last made open by something else than their own work: a version of the plan, or files that went back.
 * What the history says of a step's id before that is about another attempt, or another step. -1 = nowhere.
 */
export function stepsOpenedAt(history: readonly Message[]): number {
  return history.findLastIndex((message, at) => {
    if (isVersion(message, history[at + 1])) return true;
    if (message.role !== "event") return false;
    const { source, data } = message.extra.event;
    return source === "rewind" || (source === "rollback" && data.restored === true);
  });
}

/** A version that was written, and not one into which updates were folded. `next`: the message after it. */
export function isVersion(message: Message, next: Message | undefined): message is PlanMessage {
  const isFold = next?.role === "event" && next.extra.event.source === planFold;
  return message.role === "plan" && !isFold;
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
