// Which units of a history are given up to fit a budget. Pure and monotone: the walk takes the same way as the requests
// before it did, so what one of them gave up stays given up, and prompts keep a common beginning for provider caches.
import type { Unit } from "./units.ts";

export type Loss = "none" | "short" | "gone";

/** Once over the budget, room is made down to this part of it: the next requests then change nothing. */
const lowWater = 0.75;
/** The newest part of a history that is shortened or dropped only when all older has been. */
const recentShare = 0.5;

export interface Costs {
  /** Of the request behind each unit: what was known of the model's own count then. */
  budgets: readonly number[];
  /** What stands in every prompt: the system message. */
  baseTokens: number;
  /** What stands in a prompt once anything is gone: the digest. */
  digestTokens: number;
}

/** What each unit loses. Old results are shortened first, then the oldest units go, then recent ones, anchors last. */
export function giveUp(units: readonly Unit[], costs: Costs): Loss[] {
  const walk = new Walk(units, costs);
  units.forEach((_, index) => {
    walk.add(index);
    // Requests were made before each answer, and are made now at the end.
    if (index === units.length - 1 || units[index + 1]?.role === "assistant") walk.fit(index);
  });
  return walk.losses;
}

/** Where a sweep from the oldest unit to the newest stands, and those it had to leave for later. */
interface Sweep {
  next: number;
  waiting: number[];
}

class Walk {
  readonly losses: Loss[];
  readonly #units: readonly Unit[];
  readonly #costs: Costs;
  readonly #shortening: Sweep = { next: 0, waiting: [] };
  readonly #dropping: Sweep = { next: 0, waiting: [] };
  readonly #droppingAnchors: Sweep = { next: 0, waiting: [] };
  #tokens: number;
  #hasDigest = false;
  /** Tokens of the history, and of its part before the recent window. */
  #seenTokens = 0;
  #oldTokens = 0;
  #recentStart = 0;
  #lastUser = -1;
  #lastAnswer = -1;

  constructor(units: readonly Unit[], costs: Costs) {
    this.losses = units.map(() => "none");
    this.#units = units;
    this.#costs = costs;
    this.#tokens = costs.baseTokens;
  }

  add(index: number): void {
    const unit = this.#units[index];
    if (!unit) return;
    this.#tokens += unit.tokens;
    this.#seenTokens += unit.tokens;
    if (unit.role === "user") this.#lastUser = index;
    if (unit.role === "assistant") this.#lastAnswer = index;
  }

  /** Makes room, where the units up to `last` need it. */
  fit(last: number): void {
    const budgetTokens = this.#costs.budgets[last] ?? 0;
    if (this.#tokens <= budgetTokens) return;
    const low = budgetTokens * lowWater;
    // The last exchange is what the model answers now.
    const exchange = this.#lastAnswer < 0 ? last + 1 : this.#lastAnswer;
    const old = Math.min(this.#startOfRecent(last, budgetTokens * recentShare), exchange);
    this.#shorten(old, low);
    if (this.#tokens > low) this.#drop(this.#dropping, old, low, false);
    if (this.#tokens > budgetTokens) this.#shorten(exchange, budgetTokens);
    if (this.#tokens > budgetTokens) this.#drop(this.#dropping, exchange, budgetTokens, false);
    if (this.#tokens > budgetTokens) this.#drop(this.#droppingAnchors, exchange, budgetTokens, true);
  }

  #startOfRecent(last: number, window: number): number {
    while (this.#recentStart < last && this.#seenTokens - this.#oldTokens > window) {
      this.#oldTokens += this.#units[this.#recentStart]?.tokens ?? 0;
      this.#recentStart += 1;
    }
    return this.#recentStart;
  }

  #shorten(end: number, target: number): void {
    this.#sweep(this.#shortening, end, target, (index, unit) => {
      if (unit.keep === "pinned" || this.losses[index] !== "none" || unit.shortTokens >= unit.tokens) return;
      this.losses[index] = "short";
      this.#tokens -= unit.tokens - unit.shortTokens;
    });
  }

  #drop(sweep: Sweep, end: number, target: number, anchors: boolean): void {
    this.#sweep(sweep, end, target, (index, unit) => {
      if (this.losses[index] === "gone" || unit.keep !== (anchors ? "anchor" : "free")) return;
      if (!this.#hasDigest) this.#tokens += this.#costs.digestTokens;
      this.#hasDigest = true;
      this.#tokens += unit.leftTokens - (this.losses[index] === "short" ? unit.shortTokens : unit.tokens);
      this.losses[index] = "gone";
    });
  }

  /** Takes units before `end`, oldest first, until the prompt is down to `target` tokens. */
  #sweep(sweep: Sweep, end: number, target: number, take: (index: number, unit: Unit) => void): void {
    const visit = (index: number) => {
      const unit = this.#units[index];
      if (index === this.#lastUser) sweep.waiting.push(index);
      else if (unit) take(index, unit);
    };
    const waiting = sweep.waiting.splice(0);
    for (const index of waiting) visit(index);
    while (sweep.next < end && this.#tokens > target) {
      visit(sweep.next);
      sweep.next += 1;
    }
  }
}
