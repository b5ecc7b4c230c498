// What a session's answers used, summed up; and how it is said. Pure.
import * as z from "zod/mini";
import type { Usage } from "../message.ts";

export const Spent = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedTokens: z.number(),
  /** US dollars. */
  cost: z.number(),
});
export type Spent = z.infer<typeof Spent>;

export const nothingSpent: Spent = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: 0 };

export function addUsage(spent: Spent, used: Usage | undefined): Spent {
  if (used === undefined) return spent;
  return {
    inputTokens: spent.inputTokens + used.inputTokens,
    outputTokens: spent.outputTokens + used.outputTokens,
    cachedTokens: spent.cachedTokens + used.cachedTokens,
    cost: spent.cost + (used.cost ?? 0),
  };
}
