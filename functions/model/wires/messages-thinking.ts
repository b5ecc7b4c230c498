// How Anthropic's models are told to think.
import type { WireBody, WireRequest } from "./wire-request.ts";

/**
 * Models that decide for themselves how much they think, and refuse a budget from 4.7 on; unless told to, most do not
 * think at all. https://docs.anthropic.com/en/docs/build-with-claude/adaptive-thinking; elizaOS/eliza#16175 (2026-07).
 */
const adaptive = /claude-((opus|sonnet|haiku)-(4-[6-9]|[5-9])|fable|mythos)/;
/** From 4.7 on, reasoning is returned only on request. */
const shownAnyway = /-4-6/;

/** Tokens for `reasoningEffort` of models that take a budget: at least 1,024, and less than the answer may have. */
const budgets: Record<string, number> = { minimal: 1_024, low: 2_048, medium: 8_192 };
const mostBudget = 16_384;
const leastBudget = 1_024;

/** `unthought`: calls without thinking before them are being answered, which a budget does not allow. */
export function thinkingOf(
  { modelId, model: { reasoningEffort: effort }, omit }: WireRequest,
  maxTokens: number,
  unthought: boolean,
): WireBody {
  if (effort === "none") return {};
  if (omit.has("budget_thinking") || (adaptive.test(modelId) && !omit.has("adaptive_thinking")))
    return {
      thinking: { type: "adaptive", ...(shownAnyway.test(modelId) ? {} : { display: "summarized" }) },
      ...(effort === undefined || omit.has("reasoning_effort") ? {} : { output_config: { effort } }),
    };
  if (effort === undefined || unthought) return {};
  const wanted = budgets[effort] ?? (Number(effort) || mostBudget);
  const budget = Math.min(wanted, maxTokens - leastBudget);
  return budget < leastBudget ? {} : { thinking: { type: "enabled", budget_tokens: budget } };
}
