// How many rounds of questions the person has been asked for one plan.
import type { Message } from "../../shared/message.ts";
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
