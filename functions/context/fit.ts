// Trimming (SPEC, seed 003): a history that fits its model's budget. Pure, and stable between the rounds of a conversation.
import { HandrailError } from "../../shared/errors.ts";
import type { Calibration, Message } from "../../shared/message.ts";
import type { PromptMessage } from "../model/prompt.ts";
import { cutResults } from "./cut-results.ts";
import { digest, digestChars, digestTokens } from "./digest.ts";
import { estimateMessage, estimatePrompt } from "./estimate.ts";
import { giveUp, type Loss } from "./give-up.ts";
import { render } from "./render.ts";
import { shortened } from "./shorten.ts";
import { compressEvents } from "./subkinds.ts";
import { lastSummary } from "./summary.ts";
import { toUnits, type Unit } from "./units.ts";

export interface Fitted {
  prompt: PromptMessage[];
  tokens: number;
  /** Messages of the history that were shortened or left out. */
  trimmed: number;
  /** The messages that the prompt was made of, the digest of the others among them. */
  history: Message[];
}

/** Estimated tokens that a prompt may have: now, and in the requests that were made before with what was known then. */
export interface Room {
  now: number;
  /** Undefined where nothing else was known. */
  knowing(calibration: Calibration | undefined): number | undefined;
  /** What was known before the first answer. */
  first: number;
}

/** One message with the results of its calls may have this part of the budget, so that it does not drive out all others. */
const exchangeShare = 0.5;

/**
 * The prompt of `history` behind `system` within `budgetTokens`. Old tool results are shortened first, then the
 * oldest messages left out for a digest. The first user message, the plan in force with its updates, the latest
 * answers and the last exchange stay. Trimming what was trimmed changes nothing. Throws `model_error` when what has
 * to stay is larger than the budget.
 */
export function fitPrompt(history: readonly Message[], system: string, room: number | Room): Fitted {
  const budgetTokens = typeof room === "number" ? room : room.now;
  const shown = compressEvents(history);
  const whole = rendered(shown, system);
  if (whole.tokens <= budgetTokens) return { ...whole, trimmed: 0 };

  const moderate = withoutHugeExchanges(shown, budgetTokens * exchangeShare);
  const units = toUnits(moderate.history);
  const chars = digestChars(budgetTokens);
  const losses = giveUp(units, {
    budgets: budgetsOf(moderate.history, units, room),
    baseTokens: estimateMessage({ role: "system", content: system }),
    digestTokens: digestTokens(chars),
  });
  const left = apply(moderate.history, units, losses, chars);
  const fitted = rendered(left.history, system);
  const trimmed = left.trimmed + moderate.count;
  if (fitted.tokens <= budgetTokens) return { ...fitted, trimmed };

  // The last resort: what is too long in the results that have to stay.
  const cut = cutResults(left.history, fitted.tokens - budgetTokens);
  const last = rendered(cut.history, system);
  if (last.tokens <= budgetTokens) return { ...last, trimmed: trimmed + cut.count };

  // And after it the payload of calls: a file that was written is read again, not remembered.
  const bare = rendered(cut.history.map(shortened), system);
  if (bare.tokens <= budgetTokens) return { ...bare, trimmed: trimmed + cut.count };
  throw tooLarge(budgetTokens);
}

/** The budget of a request made behind each unit. */
function budgetsOf(history: readonly Message[], units: readonly Unit[], room: number | Room): number[] {
  if (typeof room === "number") return units.map(() => room);
  let budget = room.first;
  const budgets = units.map(({ indexes: [first = 0] }) => {
    const message = history[first];
    if (message?.role === "assistant") budget = room.knowing(message.calibration) ?? budget;
    return budget;
  });
  return [...budgets.slice(0, -1), room.now];
}

function withoutHugeExchanges(
  history: readonly Message[],
  maxTokens: number,
): { history: Message[]; count: number } {
  const cut = [...history];
  let count = 0;
  for (const unit of toUnits(history)) {
    if (unit.tokens <= maxTokens) continue;
    const messages = unit.indexes.flatMap((index) => history[index] ?? []);
    const smaller = cutResults(messages, unit.tokens - maxTokens);
    unit.indexes.forEach((index, at) => {
      const message = smaller.history[at];
      if (message) cut[index] = message;
    });
    count += smaller.count;
  }
  return { history: cut, count };
}

function rendered(history: Message[], system: string): Omit<Fitted, "trimmed"> {
  const prompt = render(history, system);
  return { history, prompt, tokens: estimatePrompt(prompt) };
}

function apply(
  history: readonly Message[],
  units: readonly Unit[],
  losses: readonly Loss[],
  chars: number,
): { history: Message[]; trimmed: number } {
  const lossOf: Loss[] = history.map(() => "none");
  units.forEach((unit, index) => {
    for (const at of unit.indexes) lossOf[at] = losses[index] ?? "none";
  });
  const gone = history.filter((_, index) => lossOf[index] === "gone");
  let trimmed = gone.length;
  let digested = false;
  const left = history.flatMap((message, index) => {
    if (lossOf[index] === "gone") {
      if (digested) return [];
      digested = true;
      return [digest(gone, chars, lastSummary(history)?.content)];
    }
    const short = lossOf[index] === "short" ? shortened(message) : message;
    if (short !== message) trimmed += 1;
    return [short];
  });
  return { history: left, trimmed };
}

function tooLarge(budgetTokens: number): HandrailError {
  return new HandrailError(
    "model_error",
    `What has to stay in the conversation (the first message, the plan, the last exchange) is larger than this model's room of about ${budgetTokens} tokens. Shorten the plan or the message, or choose a model with a larger window.`,
    { retryable: false },
  );
}
