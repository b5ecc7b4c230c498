// How full the model's context is, from live figures or otherwise from the last stored messages. Pure.
import { messagesOf } from "./history.ts";
import type { SessionState } from "./session-state.ts";

export interface ContextFigures {
  /** Tokens as the provider counts them, if that is known. */
  tokens: number;
  budget: number;
  /** How many messages were shortened or left out of the request. */
  trimmed: number;
}

/** The used share of the budget: 1 = all of it. */
export function contextShare({ tokens, budget }: ContextFigures): number {
  return tokens / Math.max(1, budget);
}

/** Above this share, earlier messages will soon be shortened or left out. */
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
