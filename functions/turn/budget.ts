// What a turn may use: rounds, time, subrequests, output and money, counted before each sampling.
import { HandrailError } from "../../shared/errors.ts";
import type { Message, ResultMeta } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { usageOf } from "../../shared/session/spending.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import type { OpenLedger } from "../calls/tool-turn.ts";
import { budgetOf, calibrationIn } from "../context/calibration.ts";
import type { Carried } from "../context/carried.ts";
import type { EdgeHost } from "../host.ts";
import type { Prelude } from "../inputs/messages.ts";
import * as limits from "../limits.ts";
import type { ModelSettings } from "../model/provider.ts";
import { type ChosenModel, modelName, type TurnContext } from "./env.ts";
import type { Turn } from "./turn.ts";

/** Rounds that a turn may sample in `mode`, as its results' `[meta]` lines show. */
export function roundsAllowed(host: EdgeHost, request: TurnRequest, mode: Mode): number {
  return Math.min(wantedRounds(request, mode), limits.hostBudget(host).rounds);
}

function wantedRounds({ options }: TurnRequest, mode: Mode): number {
  return options.maxRounds ?? (mode === "plan" ? limits.planningRounds : Infinity);
}

/** The context of a turn's first claim. */
export function newContext(
  host: EdgeHost,
  request: TurnRequest,
  opening: {
    contextWindow: number;
    prelude: Prelude;
    plan: Plan | null;
    ledger: OpenLedger | null;
    drafts: readonly unknown[];
  },
): TurnContext {
  const { contextWindow, prelude, plan, ledger, drafts } = opening;
  return {
    planRounds: roundsAllowed(host, request, "plan"),
    runRounds: roundsAllowed(host, request, "normal"),
    contextWindow,
    rules: "0.3",
    opening: drafts.length,
    ...(request.options.baseline === false ? {} : { baseline: true as const }),
    ...(ledger ? { ledger } : {}),
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

/**
 * Throws `rate_limited` if this turn has spent its limit, or a request of `next` US dollars would exceed it; `beside`
 * is what the requests under way may cost. Called before each request, while the history is complete.
 */
export function checkSpending(
  { env: { deps, request, signals }, state: { history } }: Turn,
  next = 0,
  beside = 0,
): void {
  const { unattended, ...options } = request.options;
  const alone = deps.unattended !== undefined && !signals.watched();
  const limit = Math.min(
    options.spendLimit ?? Infinity,
    deps.spendLimit ?? Infinity,
    (alone ? deps.unattended?.spendLimit : undefined) ?? Infinity,
    (alone ? unattended?.spendLimit : undefined) ?? Infinity,
  );
  if (limit === Infinity) return;
  const spent = history
    .slice(request.messages.length)
    .reduce((sum, message) => sum + (usageOf(message)?.cost ?? 0), 0);
  if (spent < limit && spent + beside + next <= limit) return;
  const dollars = (amount: number) => `$${amount.toFixed(amount < 0.01 && amount > 0 ? 4 : 2)}`;
  const by =
    limit === deps.spendLimit
      ? "HANDRAIL_SPEND_LIMIT on the server"
      : alone && limit === deps.unattended?.spendLimit
        ? "HANDRAIL_UNATTENDED_SPEND on the server"
        : "the spending limit in Settings";
  throw new HandrailError(
    "rate_limited",
    spent < limit
      ? `The next request would exceed the spending limit, so it was not sent: it costs about ${dollars(next)}, ${dollars(Math.max(0, limit - spent - beside))} is left. Nothing is lost. To continue, raise ${by}.`
      : `The spending limit is reached: this turn has cost ${dollars(spent)}, and ${dollars(limit)} was left for it. Nothing is lost. To continue, raise ${by}.`,
    {
      retryable: false,
      details: { reason: "spend_limit", spent, limit, ...(spent < limit ? { next } : {}) },
    },
  );
}

/**
 * The estimated US dollars that a request of that many tokens costs, 0 without a price. Assumes that as much comes from
 * the provider's cache as for the last request of `history`.
 */
export function estimatedCost(tokens: number, { price }: ModelSettings, history: readonly Message[]): number {
  if (!price) return 0;
  const { input, output, cached = input } = price;
  const last = history.findLast((message) => usageOf(message) !== undefined);
  const known = Math.min(tokens, (last && usageOf(last)?.cachedTokens) ?? 0);
  return ((tokens - known) * input + known * cached + limits.shortAnswerTokens * output) / 1e6;
}

/**
 * How the turn ends before its next round if its host allows no more: `continue`, or `detached` if another process
 * continues it.
 */
export function budgetEnd({ env, state, used, log }: Turn): "continue" | "detached" | undefined {
  const { host, elapsed, unattended } = env.deps;
  const { handsOver, leaves, watched } = env.signals;
  const budget = limits.hostBudget(host);
  const alone = unattended !== undefined && !watched();
  const isSpent =
    elapsed() - env.startedAt > budget.wallMs ||
    used.subrequests + limits.roundSubrequests > budget.subrequests;
  // This holds even if somebody seems to watch: a locked phone is noticed late.
  if (handsOver && (isSpent || leaves())) return "detached";
  const rounds = alone ? wantedRounds(env.request, state.mode) : roundsAllowed(host, env.request, state.mode);
  return state.round >= rounds || (isSpent && !alone) || log.chars > budget.outputChars
    ? "continue"
    : undefined;
}

/**
 * Whether a turn must pause within a call that itself asks models, `count` of them at once: it was stopped or detached,
 * or its host's requests are used up. It then continues from its journal, in another request or process.
 */
export function leavesWithin({ env, used }: Turn, count: number): boolean {
  const { stop, detach, handsOver, leaves } = env.signals;
  const needed = used.subrequests + count * 2 + limits.roundSubrequests;
  const isSpent = needed > limits.hostBudget(env.deps.host).subrequests;
  return stop.aborted || detach.aborted || isSpent || (handsOver && leaves());
}

/** Throws `rate_limited` if nobody watches the turn and it has used up the rounds or minutes allowed for that. */
export function checkUnattended({ env, state }: Turn): void {
  const { elapsed, unattended } = env.deps;
  if (!unattended || env.signals.watched()) return;
  const wanted = env.request.options.unattended ?? {};
  const rounds = Math.min(unattended.rounds, wanted.rounds ?? Infinity);
  const minutes = Math.min(unattended.minutes, wanted.minutes ?? Infinity);
  const ranMs = env.signals.ranMs + elapsed() - env.startedAt;
  const used = state.round >= rounds ? countWords(rounds, "round") : countWords(minutes, "minute");
  if (state.round < rounds && ranMs < minutes * 60_000) return;
  const own = state.round >= rounds ? wanted.rounds === rounds : wanted.minutes === minutes;
  const by = own ? "Settings" : `HANDRAIL_UNATTENDED_${state.round >= rounds ? "ROUNDS" : "MINUTES"}`;
  throw new HandrailError(
    "rate_limited",
    `It stopped here because nobody watched: ${by} allows ${used} for that. Nothing is lost, and it can continue.`,
    { retryable: false, details: { reason: "unattended_limit", rounds, minutes } },
  );
}

function countWords(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** Takes one request from the turn's retry budget, to be sent after `waitMs`; false = none is left. */
export function takeRetry({ env, used }: Turn, waitMs: number): boolean {
  const { retries, wallMs } = limits.hostBudget(env.deps.host);
  if (used.retries >= retries || env.deps.elapsed() + waitMs - env.startedAt > wallMs) return false;
  used.retries += 1;
  return true;
}
