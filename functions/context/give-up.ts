// Which units of a prompt over its budget are given up. Pure; what earlier requests gave up is not among them any more.
import type { Unit } from "./units.ts";

export type Loss = "none" | "short" | "gone";

/** Once over the budget, room is made down to this part of it: the next requests then change nothing. */
const lowWater = 0.75;
/** The newest part of a prompt that is shortened or dropped only when all older has been. */
const recentShare = 0.5;

export interface Costs {
  budgetTokens: number;
  /** Of the whole prompt as it stands. */
  tokens: number;
  /** What the first unit to go adds: the digest, where there is none yet. */
  digestTokens: number;
}

/** What each unit loses. Old results are shortened first, then the oldest units go, then recent ones, anchors last. */
export function giveUp(units: readonly Unit[], { budgetTokens, tokens, digestTokens }: Costs): Loss[] {
  const losses: Loss[] = units.map(() => "none");
  const lastUser = units.findLastIndex(({ role }) => role === "user");
  const lastAnswer = units.findLastIndex(({ role }) => role === "assistant");
  // The last exchange is what the model answers now.
  const exchange = lastAnswer < 0 ? units.length : lastAnswer;
  const old = Math.min(startOfRecent(units, budgetTokens * recentShare), exchange);
  const prices = units.map((unit) => unit.tokens);
  let left = tokens;
  let digest = digestTokens;
  const lose = (index: number, loss: Loss, price: number) => {
    left += price - (prices[index] ?? 0);
    prices[index] = price;
    losses[index] = loss;
  };
  const sweep = (end: number, target: number, take: (unit: Unit, index: number) => void) => {
    for (let index = 0; index < end && left > target; index += 1) {
      const unit = units[index];
      if (unit && index !== lastUser && losses[index] !== "gone") take(unit, index);
    }
  };
  const shorten = (unit: Unit, index: number) => {
    if (unit.keep === "pinned" || losses[index] === "short") return;
    const price = unit.shortTokens();
    if (price < unit.tokens) lose(index, "short", price);
  };
  const drop = (keep: Unit["keep"]) => (unit: Unit, index: number) => {
    if (unit.keep !== keep) return;
    lose(index, "gone", unit.leftTokens + digest);
    digest = 0;
  };
  sweep(old, budgetTokens * lowWater, shorten);
  sweep(old, budgetTokens * lowWater, drop("free"));
  sweep(exchange, budgetTokens, shorten);
  sweep(exchange, budgetTokens, drop("free"));
  sweep(exchange, budgetTokens, drop("anchor"));
  return losses;
}

/** The first of the units that together have at most `maxTokens` and are followed by no other. */
function startOfRecent(units: readonly Unit[], maxTokens: number): number {
  let tokens = 0;
  return (
    1 +
    units.findLastIndex((unit) => {
      tokens += unit.tokens;
      return tokens > maxTokens;
    })
  );
}
