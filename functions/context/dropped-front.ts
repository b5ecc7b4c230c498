// Notices a provider that drops the beginning of what is too long for it, without an error: its count stops growing.
import type { AssistantMessage, Message } from "../../shared/message.ts";

/** The prompt must have grown by this much while its reported count grew by no more than the tolerance. */
const grownBy = 1.3;
const tolerance = 1.02;
/** Ignore smaller counts: some providers report nothing, or only the tokens that were not cached. */
const leastTokens = 1_000;
const leastShare = 0.5;

export interface CountedPrompt {
  estimatedTokens: number;
  inputTokens: number;
  trimmed: number;
}

/**
 * What is kept of prompts, in the provider's tokens, and the scale that it counted with before; undefined where nothing
 * shows that the beginning is dropped. Only answers of this turn count: those before it may be another model's.
 */
export function droppedFront(
  history: readonly Message[],
  turnId: string,
  now: CountedPrompt,
): { window: number; scale: number } | undefined {
  const before = history.find(
    (message): message is AssistantMessage =>
      message.role === "assistant" && message.id.startsWith(`${turnId}.`) && isSmaller(message, now),
  );
  if (!before?.usage) return undefined;
  return {
    window: Math.max(before.usage.inputTokens, now.inputTokens),
    scale: before.calibration?.scale ?? 1,
  };
}

function isSmaller(
  { usage, contextTokens, calibration, trimmed = 0 }: AssistantMessage,
  now: CountedPrompt,
): boolean {
  if (!usage || usage.estimated || contextTokens === undefined || trimmed !== now.trimmed) return false;
  const estimated = contextTokens / (calibration?.scale ?? 1);
  if (usage.inputTokens < Math.max(leastTokens, estimated * leastShare)) return false;
  return now.estimatedTokens >= estimated * grownBy && now.inputTokens <= usage.inputTokens * tolerance;
}
