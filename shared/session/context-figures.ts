// How full the model's context is, off the kept state: live figures, else those that the last messages carry. Pure.
import { messagesOf } from "./history.ts";
import type { SessionState } from "./session-state.ts";

export interface ContextFigures {
  /** As the provider counts, as far as that is known. */
  tokens: number;
  budget: number;
  /** Messages that the model was shown short or not at all. */
  trimmed: number;
}

/** How full it is: 1 = the whole budget. */
export function contextShare({ tokens, budget }: ContextFigures): number {
  return tokens / Math.max(1, budget);
}

/** Above this share, the model soon gets less of the earlier messages. */
export const fullShare = 0.85;

/** Undefined before the first result. */
export function contextOf({ live, entries }: SessionState): ContextFigures | undefined {
  if (live.context !== null) return live.context;
  const messages = messagesOf(entries);
  const answer = messages.findLast((message) => message.role === "assistant");
  const result = messages.findLast((message) => message.role === "tool" && message.meta !== undefined);
  if (result?.role !== "tool" || result.meta === undefined) return undefined;
  const { contextTokens, budgetTokens } = result.meta;
  return { tokens: contextTokens, budget: budgetTokens, trimmed: answer?.trimmed ?? 0 };
}
