// Decides which message groups are shortened or dropped if a prompt exceeds its budget. Pure. What earlier requests
// dropped is no longer among the groups.
import type { MessageGroup } from "./message-groups.ts";

export type Loss = "none" | "short" | "gone";

/**
 * A prompt over the budget is reduced to this share of it, so that many requests after it change nothing: each change
 * empties the provider's cache from there on. By `npm run bench -- cost`, a session costs a quarter to a third less
 * than with 0.75. A smaller share would save another tenth, but the model would have to read again what it has just
 * read.
 */
export const defaultLowWater = 0.45;
/** The newest share of a prompt: touched only when everything older has been. */
const recentShare = 0.4;

export interface Costs {
  budgetTokens: number;
  /** Size of the whole prompt before any loss. */
  tokens: number;
  /** What dropping the first group adds: the digest, if there is none yet. */
  digestTokens: number;
  lowWater: number;
}

/** What each group loses. Old results are shortened first, then the oldest groups are dropped, then recent ones, anchors last. */
export function chooseLosses(
  groups: readonly MessageGroup[],
  { budgetTokens, tokens, digestTokens, lowWater }: Costs,
): Loss[] {
  const losses: Loss[] = groups.map(() => "none");
  const lastUser = groups.findLastIndex(({ role }) => role === "user");
  const lastAnswer = groups.findLastIndex(({ role }) => role === "assistant");
  // The last exchange is what the model answers now.
  const exchange = lastAnswer < 0 ? groups.length : lastAnswer;
  const old = Math.min(startOfRecent(groups, budgetTokens * recentShare), exchange);
  const prices = groups.map((group) => group.tokens);
  let left = tokens;
  let digest = digestTokens;
  const lose = (index: number, loss: Loss, price: number) => {
    left += price - (prices[index] ?? 0);
    prices[index] = price;
    losses[index] = loss;
  };
  const sweep = (end: number, target: number, take: (group: MessageGroup, index: number) => void) => {
    for (let index = 0; index < end && left > target; index += 1) {
      const group = groups[index];
      if (group && index !== lastUser && losses[index] !== "gone") take(group, index);
    }
  };
  const shorten = (group: MessageGroup, index: number) => {
    // The first message keeps its words but not its images.
    if ((group.keep === "pinned" && group.role !== "user") || losses[index] === "short") return;
    const price = group.shortTokens();
    if (price < group.tokens) lose(index, "short", price);
  };
  const drop = (keep: MessageGroup["keep"]) => (group: MessageGroup, index: number) => {
    if (group.keep !== keep) return;
    lose(index, "gone", group.leftTokens + digest);
    digest = 0;
  };
  sweep(old, budgetTokens * lowWater, shorten);
  sweep(old, budgetTokens * lowWater, drop("free"));
  sweep(exchange, budgetTokens, shorten);
  sweep(exchange, budgetTokens, drop("free"));
  sweep(exchange, budgetTokens, drop("anchor"));
  return losses;
}

/** Index of the first of the newest groups that together have at most `maxTokens`. */
function startOfRecent(groups: readonly MessageGroup[], maxTokens: number): number {
  let tokens = 0;
  return (
    1 +
    groups.findLastIndex((group) => {
      tokens += group.tokens;
      return tokens > maxTokens;
    })
  );
}
