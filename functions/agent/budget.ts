// When a turn ends itself with `continue`: rounds and time, counted before each sampling.
import type { ResultMeta } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import { promptBudget } from "../context/estimate.ts";
import type { Carried } from "../context/long-history.ts";
import type { Host } from "../deps.ts";
import { hostBudget, limits } from "../limits.ts";
import type { TurnState } from "../turn/turn-state.ts";

/** Rounds that a turn may sample in `mode`, as its results' `[meta]` lines show. */
export function roundsAllowed(host: Host, request: TurnRequest, mode: Mode): number {
  const { rounds } = hostBudget(host);
  const wanted = request.options.maxRounds ?? (mode === "plan" ? limits.planningRounds : rounds);
  return Math.min(wanted, rounds);
}

export function roundLimit(state: TurnState): number {
  return roundsAllowed(state.deps.host, state.request, state.mode);
}

/** The numbers of a result that comes before this turn has asked the model anything. */
export function openingMeta(
  host: Host,
  request: TurnRequest,
  carried: Carried,
  contextWindow: number,
): ResultMeta {
  const last = request.messages.findLast((message) => message.role === "assistant");
  return {
    round: 0,
    maxRounds: roundsAllowed(host, request, request.mode),
    contextTokens: last?.contextTokens ?? carried.contextTokens,
    budgetTokens: promptBudget(contextWindow),
  };
}

export function budgetUsedUp(state: TurnState): boolean {
  return (
    state.round >= roundLimit(state) ||
    state.deps.now() - state.startedAt > hostBudget(state.deps.host).wallMs
  );
}
