// How Anthropic's models are asked to think.
import type { WireBody, WireRequest } from "./wire-request.ts";

/**
 * Models that decide themselves how much to think. From 4.7 on they refuse a budget, and most do not think at all
 * unless asked to. https://docs.anthropic.com/en/docs/build-with-claude/adaptive-thinking; elizaOS/eliza#16175
 * (2026-07).
 */
const adaptive = /claude-((opus|sonnet|haiku)-(4-[6-9]|[5-9])|fable|mythos)/;
/** These return their reasoning without being asked to; from 4.7 on, it is returned only on request. */
const shownAnyway = /-4-6/;

/** The budget in tokens for each `reasoningEffort`: at least 1,024, and less than the limit of the answer. */
const budgets: Record<string, number> = { minimal: 1_024, low: 2_048, medium: 8_192 };
const mostBudget = 16_384;
const leastBudget = 1_024;

/** `unthought`: the request answers calls that had no thinking before them, which a budget does not allow. */
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
