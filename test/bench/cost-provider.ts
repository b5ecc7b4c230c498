// A provider that enforces limits and charges by a price list. It counts requests with a real tokenizer,
// refuses those that are too long or malformed, and charges less for the prefix that it saw in the previous
// request.
import { encode } from "gpt-tokenizer/encoding/o200k_base";

/**
 * Prices in US dollars per million tokens. `write`: input that is written to the cache. `least`: the provider
 * does not cache shorter prefixes.
 */
interface Prices {
  name: string;
  input: number;
  cached: number;
  write: number;
  output: number;
  least: number;
}

/**
 * Compared in 2026-11 with copies of https://docs.anthropic.com/en/docs/about-claude/pricing (Sonnet 3.5 to 4: $3, writes for
 * 5 minutes $3.75, hits $0.30, output $15; Sonnet 4.6 costs the same, Sonnet 5 $2 and $10) and, for GPT-5, with price tables
 * made from https://openai.com/api/pricing (crates openai-cost 0.1.0 and adk-model 0.6.0: $1.25, output $10, hits a tenth).
 */
export const priceLists: readonly Prices[] = [
  { name: "Anthropic, Sonnet", input: 3, cached: 0.3, write: 3.75, output: 15, least: 1_024 },
  { name: "OpenAI, GPT-5", input: 1.25, cached: 0.125, write: 1.25, output: 10, least: 1_024 },
];

/** The parts of a request in the order in which providers cache them: tools, system message, messages. */
export type Sent = readonly string[];

export interface Account {
  requests: number;
  refused: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  /** The number of requests that kept more than nine tenths of the previous one. */
  kept: number;
  dollars: Record<string, number>;
}

const sizes = new Map<string, number>();

export function tokensOf(text: string): number {
  const known = sizes.get(text) ?? encode(text, { disallowedSpecial: new Set() }).length;
  sizes.set(text, known);
  return known;
}

export class CostProvider {
  readonly #windowTokens: number;
  #before: Sent = [];
  readonly account: Account = {
    ...{ requests: 0, refused: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, kept: 0 },
    dollars: Object.fromEntries(priceLists.map(({ name }) => [name, 0])),
  };

  constructor(windowTokens: number) {
    this.#windowTokens = windowTokens;
  }

  /**
   * Returns the tokens of the request, or undefined if the provider refuses it. `aside`: the next request
   * does not continue this one.
   */
  ask(sent: Sent, outputTokens: number, aside = false): number | undefined {
    const { account } = this;
    const tokens = sum(sent);
    if (tokens + outputTokens > this.#windowTokens) {
      account.refused += 1;
      return undefined;
    }
    let same = 0;
    while (same < sent.length && sent[same] === this.#before[same]) same += 1;
    const cached = sum(sent.slice(0, same));
    const before = sum(this.#before);
    account.requests += 1;
    account.inputTokens += tokens;
    account.cachedTokens += cached;
    account.outputTokens += outputTokens;
    if (before === 0 || cached > before * 0.9) account.kept += 1;
    for (const { name, least, ...price } of priceLists) {
      const paid = cached < least ? 0 : cached;
      const dollars = paid * price.cached + (tokens - paid) * price.write + outputTokens * price.output;
      account.dollars[name] = (account.dollars[name] ?? 0) + dollars / 1e6;
    }
    if (!aside) this.#before = sent;
    return tokens;
  }
}

function sum(sent: Sent): number {
  return sent.reduce((total, text) => total + tokensOf(text), 0);
}
