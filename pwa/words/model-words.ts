// Models in words: which one answers, what it has cost, and how its calls were malformed. Pure.
import type { Config } from "../../shared/api.ts";
import type { ModelRef } from "../../shared/event.ts";
import type { Spent } from "../../shared/session/spending.ts";
import type { ModelPick } from "../storage/session-record.ts";

/** `chosen` is undefined for the server's default. */
export function modelInWords(config: Config | null, chosen: ModelRef | undefined): string {
  const first = config?.providers[0];
  if (chosen === undefined) {
    if (first === undefined) return "the server's own choice";
    return first.demo ? "Scripted demo" : `${first.models[0]?.id ?? "none"}, the server's own choice`;
  }
  const provider = config?.providers.find(({ id }) => id === chosen.provider);
  if (provider?.demo) return "Scripted demo";
  const known = provider?.models.some(({ id }) => id === chosen.id) ?? config === null;
  return `${chosen.id} · ${provider?.label ?? chosen.provider}${known ? "" : " · no longer on the server"}`;
}

/** "gpt-5 · OpenAI, high effort". */
export function pickInWords(config: Config | null, { model, effort }: ModelPick): string {
  const name = modelInWords(config, model);
  return effort === undefined ? name : `${name}, ${effort} effort`;
}

/** "128k tokens". */
export function windowInWords(tokens: number): string {
  return `${Math.round(tokens / 1000)}k tokens of context`;
}

/** "$0.12"; small amounts have two significant digits. */
export function dollars(amount: number): string {
  if (amount === 0 || amount >= 0.01) return `$${amount.toFixed(2)}`;
  return `$${Number(amount.toPrecision(2))}`;
}

/**
 * "120k tokens in (80 % cached), 3k out, $0.42"; undefined if nothing was counted. If the cost is zero although tokens
 * were used, the price is unknown, so no $0.00 is shown.
 */
export function spentInWords({
  inputTokens,
  outputTokens,
  cachedTokens,
  cost,
  helpers,
}: Spent): string | undefined {
  if (inputTokens + outputTokens === 0) return undefined;
  const cached = Math.round((100 * cachedTokens) / Math.max(1, inputTokens));
  const parts = [
    `${thousands(inputTokens)} tokens in${cached > 0 ? ` (${cached} % cached)` : ""}`,
    `${thousands(outputTokens)} out`,
    cost > 0 ? dollars(cost) : "price unknown",
    ...(helpers
      ? [`of it helpers ${thousands(helpers.tokens)}${helpers.cost > 0 ? `, ${dollars(helpers.cost)}` : ""}`]
      : []),
  ];
  return parts.join(", ");
}

function thousands(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${Math.round(tokens / 1_000)}k`;
}

const kinds: Readonly<Record<string, string>> = {
  unknown_tool: "a tool that does not exist",
  tool_name: "a tool's name written another way",
  dialect: "a call in the form of another protocol",
  fence: "arguments inside a code block",
  missing_fence_end: "a call in the text without its end",
  arguments: "arguments that are not JSON",
  fields: "arguments with a field missing or wrong",
  cut_off: "brackets missing at the end",
  double_encoded: "arguments written as a text",
  imagined_result: "a result that the model made up",
  empty_answer: "an answer with nothing in it",
};

export function malformedKindInWords(kind: string): string {
  return kinds[kind] ?? kind.replaceAll("_", " ");
}
