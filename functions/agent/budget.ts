// When a turn ends itself with `continue`: rounds and time, counted before each sampling.
import { hostBudget, limits } from "../limits.ts";
import type { TurnState } from "../turn/turn-state.ts";

/** Rounds that this turn may sample, as its results' `[meta]` lines show. */
export function roundLimit(state: TurnState): number {
  const { rounds } = hostBudget(state.deps.host);
  const wanted = state.request.options.maxRounds ?? (state.mode === "plan" ? limits.planningRounds : rounds);
  return Math.min(wanted, rounds);
}

export function budgetUsedUp(state: TurnState): boolean {
  return (
    state.round >= roundLimit(state) ||
    state.deps.now() - state.startedAt > hostBudget(state.deps.host).wallMs
  );
}
