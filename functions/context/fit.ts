// Trimming (SPEC, seed 003): a history that fits its model's budget. Pure, and stable between the rounds of a conversation.
import { HandrailError } from "../../shared/errors.ts";
import type { Calibration, Message } from "../../shared/message.ts";
import type { PromptMessage } from "../model/prompt.ts";
import { calibrationOf } from "./calibration.ts";
import { isDigest } from "./digest.ts";
import { estimateMessage, estimatePrompt } from "./estimate.ts";
import { render } from "./render.ts";
import { Trimming } from "./trimming.ts";

export interface Fitted {
  prompt: PromptMessage[];
  tokens: number;
  /** Messages of the history that were shortened or left out. */
  trimmed: number;
  /** The messages that the prompt was made of, the digest of the others among them. */
  history: Message[];
}

/** What requests have room for. The same in every request of a conversation, but for `now`: else prompts begin anew. */
export interface Room {
  /** What is known of the model's count, and what was known before the history. */
  now: Calibration;
  before: Calibration;
  /** Estimated tokens that system message and history may have together. */
  tokens(known: Calibration): number;
  /** Those of the longest system message. */
  systemTokens: number;
}

/**
 * The prompt of `history` behind `system` within its room. Old tool results are shortened first, then the oldest
 * messages left out for a digest. The first user message, the plan in force with its updates, the latest answers and
 * the last exchange stay. What an answered request left out or shortened stays so, whatever is counted since, as
 * long as what it was made of is posted; trimming what was trimmed changes nothing. Throws `model_error` when what has to stay is larger than the room.
 */
export function fitPrompt(history: readonly Message[], system: string, room: number | Room): Fitted {
  const { now, before, tokens, systemTokens } = typeof room === "number" ? fixed(room, system) : room;
  const roomTokens = tokens(now);
  if (history.some(isDigest)) {
    const whole = rendered([...history], system);
    if (whole.tokens <= roomTokens) return { ...whole, trimmed: 0 };
  }

  // The way that the requests before this one took. Where none was made nothing is lost: the next one had to fit.
  const trimming = new Trimming(systemTokens);
  let budget = tokens(before);
  let openCalls = 0;
  for (const message of history) {
    const known = calibrationOf(message);
    if (known?.model === now.model) {
      budget = tokens(known);
      // It may have come from a refusal of the request that this answers, which was then made smaller.
      trimming.fit(budget);
    }
    trimming.add(message);
    if (message.role === "assistant") openCalls = message.toolCalls?.length ?? 0;
    if (message.role === "tool") openCalls -= 1;
    if (openCalls <= 0) trimming.fit(budget);
  }
  trimming.fit(roomTokens);
  const { history: left, trimmed } = trimming.result(history);
  const fitted = rendered(left, system);
  if (fitted.tokens > roomTokens) throw tooLarge(roomTokens);
  return { ...fitted, trimmed };
}

function fixed(tokens: number, system: string): Room {
  const known = { model: "", scale: 1 };
  const systemTokens = estimateMessage({ role: "system", content: system });
  return { now: known, before: known, tokens: () => tokens, systemTokens };
}

function rendered(history: Message[], system: string): Omit<Fitted, "trimmed"> {
  const prompt = render(history, system);
  return { history, prompt, tokens: estimatePrompt(prompt) };
}

function tooLarge(budgetTokens: number): HandrailError {
  return new HandrailError(
    "model_error",
    `What has to stay in the conversation (the first message, the plan, the last exchange) is larger than this model's room of about ${budgetTokens} tokens. Shorten the plan or the message, or choose a model with a larger window.`,
    { retryable: false },
  );
}
