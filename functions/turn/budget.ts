// What a turn may use: rounds, time, subrequests, output and money, counted before each sampling.
import { HandrailError } from "../../shared/errors.ts";
import type { ResultMeta } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { usageOf } from "../../shared/session/spending.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import { budgetOf, calibrationIn } from "../context/calibration.ts";
import type { Carried } from "../context/carried.ts";
import type { EdgeHost } from "../host.ts";
import type { Prelude } from "../inputs/effect.ts";
import { hostBudget, limits } from "../limits.ts";
import { type ChosenModel, modelName } from "./env.ts";
import type { Turn } from "./turn.ts";
import type { TurnContext } from "./turn-context.ts";

/** Rounds that a turn may sample in `mode`, as its results' `[meta]` lines show. */
export function roundsAllowed(host: EdgeHost, request: TurnRequest, mode: Mode): number {
  const { rounds } = hostBudget(host);
  const wanted = request.options.maxRounds ?? (mode === "plan" ? limits.planningRounds : rounds);
  return Math.min(wanted, rounds);
}

/** The context of a turn's first claim. */
export function newContext(
  host: EdgeHost,
  request: TurnRequest,
  { contextWindow, prelude, plan }: { contextWindow: number; prelude: Prelude; plan: Plan | null },
): TurnContext {
  return {
    planRounds: roundsAllowed(host, request, "plan"),
    runRounds: roundsAllowed(host, request, "normal"),
    contextWindow,
    rail: true,
    asksFirst: true,
    checksFirst: true,
    ...(request.options.baseline === false ? {} : { baseline: true as const }),
    ...(prelude.kind === "resume" ? { resumes: prelude.resumes } : {}),
    ...(prelude.kind === "rewind" ? { rewind: prelude.rewind } : {}),
    ...(plan?.steps.some(({ onFail }) => onFail === "rollback") ? { plan } : {}),
  };
}

/** `[meta]` numbers for results that are given before this turn has asked the model anything. */
export function openingMeta(
  host: EdgeHost,
  request: TurnRequest,
  carried: Carried,
  chosen: ChosenModel,
): ResultMeta {
  const last = request.messages.findLast((message) => message.role === "assistant");
  return {
    round: 0,
    maxRounds: roundsAllowed(host, request, request.mode),
    contextTokens: last?.contextTokens ?? carried.contextTokens,
    budgetTokens: budgetOf(
      calibrationIn(request.messages, modelName(chosen), carried.calibration),
      chosen.model.contextWindow,
    ),
  };
}

/** Throws `rate_limited` where this turn has spent what it may. Called between rounds, so that the history is whole. */
export function checkSpending({ env: { deps, request }, state: { history } }: Turn): void {
  const limit = Math.min(request.options.spendLimit ?? Infinity, deps.spendLimit ?? Infinity);
  if (limit === Infinity) return;
  const spent = history
    .slice(request.messages.length)
    .reduce((sum, message) => sum + (usageOf(message)?.cost ?? 0), 0);
  if (spent < limit) return;
  const dollars = (amount: number) => `$${amount.toFixed(amount < 0.01 && amount > 0 ? 4 : 2)}`;
  const by =
    limit === deps.spendLimit ? "HANDRAIL_SPEND_LIMIT on the server" : "the spending limit in Settings";
  throw new HandrailError(
    "rate_limited",
    `The spending limit is reached: ${dollars(spent)} were spent in this turn, ${dollars(limit)} were left for it. Nothing is lost. To go on, raise ${by}.`,
    { retryable: false, details: { reason: "spend_limit", spent, limit } },
  );
}

export function budgetUsedUp({ env, state, used, log }: Turn): boolean {
  const { host, elapsed } = env.deps;
  const budget = hostBudget(host);
  return (
    state.round >= roundsAllowed(host, env.request, state.mode) ||
    elapsed() - env.startedAt > budget.wallMs ||
    used.subrequests + limits.roundSubrequests > budget.subrequests ||
    log.chars > budget.outputChars
  );
}

/** Takes one request from the turn's retry budget, to be sent after `waitMs`; false = none is left. */
export function takeRetry({ env, used }: Turn, waitMs: number): boolean {
  const { retries, wallMs } = hostBudget(env.deps.host);
  if (used.retries >= retries || env.deps.elapsed() + waitMs - env.startedAt > wallMs) return false;
  used.retries += 1;
  return true;
}
