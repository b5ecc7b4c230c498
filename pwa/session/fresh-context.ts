// Starting fresh: what a plan that is approved now would leave behind, in tokens and dollars of a request. Pure but for settings.
import * as z from "zod/mini";
import type { Config } from "../../shared/api.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { contextOf, contextShare } from "../../shared/session/context-figures.ts";
import type { SessionState } from "../../shared/session/session-state.ts";
import { dollars } from "../words/model-words.ts";

/** Tokens of a request; `perToken`: US dollars, absent where no price is known. */
const Figures = z.object({ before: z.number(), after: z.number(), perToken: z.optional(z.number()) });
type Figures = z.infer<typeof Figures>;

const charsPerToken = 3.5;
/** System prompt, tools and the first messages, about. */
const baseTokens = 2_000;
/** Less than this is not worth a choice. */
const leastTokens = 6_000;
/** Above this share of the window an approved plan starts with a clean context, unless the setting is off. */
const half = 0.5;

/** Undefined where little would be left behind. */
export function freshFigures(state: SessionState, plan: Plan, config: Config | null): Figures | undefined {
  const before = contextOf(state)?.tokens ?? 0;
  const after = baseTokens + Math.round(plan.markdown.length / charsPerToken);
  if (before - after < leastTokens) return undefined;
  const { model } = state.head;
  const models = config?.providers.find(({ id }) => id === model?.provider)?.models;
  const price = z.safeParse(RequestPrice, models?.find(({ id }) => id === model?.id)?.price);
  const perToken = price.success ? (price.data.cached ?? price.data.input) / 1e6 : undefined;
  return { before, after, ...(perToken === undefined ? {} : { perToken }) };
}

/** US dollars for a million tokens. Most of a request comes from the provider's cache. */
const RequestPrice = z.object({ input: z.number(), cached: z.optional(z.number()) });

export function isHalfFull(state: SessionState): boolean {
  const context = contextOf(state);
  return context !== undefined && contextShare(context) > half;
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

/** What the marker of a plan that started fresh says; undefined for another marker. */
export function freshInWords(data: Record<string, unknown>): string | undefined {
  const figures = z.safeParse(Figures, data);
  return figures.success ? `Started fresh: ${figuresInWords(figures.data)}` : undefined;
}
