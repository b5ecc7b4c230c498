// How a provider's token count differs from our estimate, learned from its usage reports and refusals, and whether it
// silently drops the beginning of a prompt that is too long. Pure: the calibration is kept in assistant messages, so any
// edge knows it and a replay computes the same numbers.
import * as z from "zod/mini";
import { type AssistantMessage, Calibration, type Message } from "../../shared/message.ts";
import { promptBudget } from "./estimate.ts";

/** Ignore reports outside this range: some providers count only the tokens that were not cached. */
const plausible = { from: 0.4, to: 4 } as const;
/** Smaller differences change nothing, so that budgets, and with them prompts, stay the same. */
const tolerance = 0.05;
/** If the provider names no numbers, the second attempt sends this share of the prompt that was refused as too long. */
const retryShare = 0.6;

/**
 * The calibration for `model` (`provider/model`) in `history`. `before`: the calibration at the history's beginning.
 */
export function calibrationIn(history: readonly Message[], model: string, before?: Calibration): Calibration {
  const last = history.findLast((message) => calibrationOf(message)?.model === model);
  const known = last ? calibrationOf(last) : before;
  return known?.model === model ? known : { model, scale: 1 };
}

/** The calibration recorded in an answer, or in the notice of a refusal without an answer. */
export function calibrationOf(message: Message): Calibration | undefined {
  if (message.role === "assistant") return message.calibration;
  const { calibration } = message.role === "event" ? message.extra.event.data : {};
  return calibration === undefined ? undefined : z.safeParse(Calibration, calibration).data;
}

/** The most tokens of a prompt with its tools, as the provider counts them. */
export function budgetOf({ scale, window, room }: Calibration, contextWindow: number): number {
  const budget = promptBudget(Math.min(contextWindow, window ?? contextWindow));
  return room === undefined ? budget : Math.min(budget, Math.floor(room * scale));
}

/** The same limit in estimated tokens. */
export function roomOf(known: Calibration, contextWindow: number): number {
  const { room = Infinity, ...counted } = known;
  return Math.min(room, Math.floor(budgetOf(counted, contextWindow) / known.scale));
}

/** `known` after the provider counted `inputTokens` for a prompt of `estimatedTokens`. */
export function observed(known: Calibration, estimatedTokens: number, inputTokens: number): Calibration {
  const scale = inputTokens / Math.max(1, estimatedTokens);
  if (scale < plausible.from || scale > plausible.to) return known;
  return Math.abs(scale / known.scale - 1) <= tolerance ? known : { ...known, scale: rounded(scale) };
}

/**
 * `known` after a prompt of `estimatedTokens` was refused as too long. `said` is the provider's message: the next
 * prompt fits the limit that it names, or is cut to 60 % of the refused one.
 */
export function tightened(
  known: Calibration,
  { contextWindow, estimatedTokens, said }: { contextWindow: number; estimatedTokens: number; said: string },
): Calibration {
  const { limit, counted } = numbersIn(said);
  if (limit !== undefined) {
    const next = {
      ...observed(known, estimatedTokens, counted ?? known.scale * estimatedTokens),
      window: limit,
    };
    if (roomOf(next, contextWindow) < estimatedTokens) return next;
  }
  return { ...known, room: Math.floor(estimatedTokens * retryShare) };
}

/** The limit and the size that a refusal names: "maximum context length is 8192 tokens … resulted in 9000", "9000 > 8192 maximum", "length should be [1, 8192]". */
function numbersIn(said: string): { limit?: number; counted?: number } {
  const text = said.replace(/(\d),(?=\d{3})/g, "$1");
  // Words must not match parts of a model's name: the "max" of "qwen-max-2025-01-25" is not a maximum.
  const match =
    /\[\d+, ?(\d{4,})\]|(?:max\w*(?!\w|-\d)|limit\w*|context \w+)\D{0,40}?(\d{4,})|(\d{4,}) (?:tokens? )?(?:max|limit)/i.exec(
      text,
    );
  const limit = Number(match?.[1] ?? match?.[2] ?? match?.[3]);
  if (!limit) return {};
  const counted = Math.max(...(text.match(/\d{4,}/g) ?? []).map(Number));
  return { limit, ...(counted > limit ? { counted } : {}) };
}

function rounded(scale: number): number {
  return Math.round(scale * 100) / 100;
}

/** The prompt must have grown by this much while its reported count grew by no more than the tolerance. */
const grownBy = 1.3;
const countTolerance = 1.02;
/** Ignore smaller counts: some providers report nothing, or only the tokens that were not cached. */
const leastTokens = 1_000;
const leastShare = 0.5;

interface CountedPrompt {
  estimatedTokens: number;
  inputTokens: number;
  trimmed: number;
}

/**
 * How much of a prompt is kept, in the provider's tokens, and its previous scale; undefined unless it is known that the
 * beginning is dropped. Only answers of this turn count, because earlier ones may come from another model.
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
  return now.estimatedTokens >= estimated * grownBy && now.inputTokens <= usage.inputTokens * countTolerance;
}
