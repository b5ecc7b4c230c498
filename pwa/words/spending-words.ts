// Tokens and money in words. Pure.
import type { Spent } from "../../shared/session/spending.ts";

/** "$0.12"; small amounts with two digits that count. */
export function dollars(amount: number): string {
  if (amount === 0 || amount >= 0.01) return `$${amount.toFixed(2)}`;
  return `$${Number(amount.toPrecision(2))}`;
}

/** "120k tokens in (80 % cached), 3k out, $0.42"; undefined where nothing was counted. */
export function spentInWords({ inputTokens, outputTokens, cachedTokens, cost }: Spent): string | undefined {
  if (inputTokens + outputTokens === 0) return undefined;
  const cached = Math.round((100 * cachedTokens) / Math.max(1, inputTokens));
  const parts = [
    `${thousands(inputTokens)} tokens in${cached > 0 ? ` (${cached} % cached)` : ""}`,
    `${thousands(outputTokens)} out`,
    ...(cost > 0 ? [dollars(cost)] : []),
  ];
  return parts.join(", ");
}

function thousands(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${Math.round(tokens / 1_000)}k`;
}
