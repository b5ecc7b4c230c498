// Adds up what a session's answers cost, and describes it in words. Pure.
import * as z from "zod/mini";
import { exploreSubkind } from "../explore.ts";
import { type Message, Usage } from "../message.ts";

export const Spent = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedTokens: z.number(),
  /** US dollars. */
  cost: z.number(),
  /** The share that helpers used while exploring; missing if there were none. */
  helpers: z.optional(z.object({ tokens: z.number(), cost: z.number() })),
});
export type Spent = z.infer<typeof Spent>;

export const nothingSpent: Spent = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: 0 };

/** The usage of an answer, or of a hidden message for which a model was asked. */
export function usageOf(message: Message): Usage | undefined {
  if (message.role === "assistant") return message.usage;
  if (message.role !== "event") return undefined;
  return z.safeParse(Usage, message.extra.event.data.usage).data;
}

/** `spent` plus the usage of `message`, if it has any. */
export function addSpent(spent: Spent, message: Message): Spent {
  const used = usageOf(message);
  const sum = addUsage(spent, used);
  if (!used || message.role !== "event" || message.extra.event.subkind !== exploreSubkind) return sum;
  const { tokens, cost } = spent.helpers ?? { tokens: 0, cost: 0 };
  const helpers = { tokens: tokens + used.inputTokens + used.outputTokens, cost: cost + (used.cost ?? 0) };
  return { ...sum, helpers };
}

export function addUsage(spent: Spent, used: Usage | undefined): Spent {
  if (used === undefined) return spent;
  return {
    ...spent,
    inputTokens: spent.inputTokens + used.inputTokens,
    outputTokens: spent.outputTokens + used.outputTokens,
    cachedTokens: spent.cachedTokens + used.cachedTokens,
    cost: spent.cost + (used.cost ?? 0),
  };
}
