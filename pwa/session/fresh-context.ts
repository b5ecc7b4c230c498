// Computes what approving with a clean context would save, in tokens and dollars per request. Pure.
import * as z from "zod/mini";
import type { Config } from "../../shared/api.ts";
import { isSameModel, type ModelRef } from "../../shared/event.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { contextOf, contextShare } from "../../shared/session/context-figures.ts";
import type { SessionState } from "../../shared/session/session-state.ts";
import { dollars } from "../words/model-words.ts";

/** The tokens of a request. `perToken` is in US dollars and absent if no price is known. */
const Figures = z.object({ before: z.number(), after: z.number(), perToken: z.optional(z.number()) });
type Figures = z.infer<typeof Figures>;

const charsPerToken = 3.5;
/** The approximate size of the system prompt, the tools and the first messages. */
const baseTokens = 2_000;
/** A smaller saving is not worth offering. */
const leastTokens = 6_000;
/** Above this share of the window an approved plan starts with a clean context, unless the setting is off. */
const half = 0.5;
/** The share of the window that the edge allows a prompt to fill. */
const promptShare = 0.8;

/**
 * `runs` is the model that will carry out the plan, not necessarily the one that wrote it. Undefined if too little
 * would be saved.
 */
export function freshFigures(
  state: SessionState,
  plan: Plan,
  config: Config | null,
  runs: ModelRef | null,
): Figures | undefined {
  const before = contextOf(state)?.tokens ?? 0;
  const after = baseTokens + Math.round(plan.markdown.length / charsPerToken);
  if (before - after < leastTokens) return undefined;
  const price = z.safeParse(RequestPrice, modelIn(config, runs ?? state.head.model)?.price);
  const perToken = price.success ? (price.data.cached ?? price.data.input) / 1e6 : undefined;
  return { before, after, ...(perToken === undefined ? {} : { perToken }) };
}

/** US dollars per million tokens. Most of a request is read from the provider's cache. */
const RequestPrice = z.object({ input: z.number(), cached: z.optional(z.number()) });

function modelIn(config: Config | null, model: ModelRef | null) {
  const models = config?.providers.find(({ id }) => id === model?.provider)?.models;
  return models?.find(({ id }) => id === model?.id);
}

/** Returns whether half of the window is full, for the model that carries out the plan. */
export function isHalfFull(state: SessionState, config: Config | null, runs: ModelRef | null): boolean {
  const context = contextOf(state);
  if (context === undefined) return false;
  const planned = state.head.model;
  const other = runs === null || (planned && isSameModel(planned, runs)) ? undefined : modelIn(config, runs);
  const budget = other ? other.contextWindow * promptShare : context.budget;
  return contextShare({ ...context, budget }) > half;
}

/** "84k → 3k tokens a request, about $0.025 → $0.0009". */
export function figuresInWords({ before, after, perToken }: Figures): string {
  const tokens = `${thousands(before)} → ${thousands(after)} tokens a request`;
  if (perToken === undefined || perToken === 0) return tokens;
  return `${tokens}, about ${dollars(before * perToken)} → ${dollars(after * perToken)}`;
}

function thousands(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${Math.round(tokens / 1_000)}k`;
}

/** The words for the marker of a plan that started with a clean context; undefined for other markers. */
export function freshInWords(data: Record<string, unknown>): string | undefined {
  const figures = z.safeParse(Figures, data);
  return figures.success ? `Started fresh: ${figuresInWords(figures.data)}` : undefined;
}
