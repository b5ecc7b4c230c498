// How many batches of questions the person has been asked for one plan.
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import { isAnswered, isFinish } from "../../shared/session/history.ts";
import type { TurnState } from "../turn/state.ts";

/** Batches used so far: the plan's count, or without a plan the answered ones since the last finished plan. */
export function roundsAsked({
  plan,
  history,
  carried,
}: Pick<TurnState, "plan" | "history" | "carried">): number {
  if (isActivePlan(plan)) return plan.round;
  const finished = history.findLastIndex(isFinish);
  const answered = history.slice(finished + 1).filter(isAnswered).length;
  return answered + (finished < 0 ? carried.asked : 0);
}
