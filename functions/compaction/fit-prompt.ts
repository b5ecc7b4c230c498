// Compacts a history until its prompt fits the model's budget. Pure, and stable between the rounds of a conversation.
// Order: cut results larger than half the budget, shorten old results, drop the oldest groups for a digest, shorten
// recent results, drop recent groups, drop anchors, cut what has to stay, shorten the arguments of calls.
import { HandrailError } from "../../shared/errors.ts";
import type { Calibration, Message } from "../../shared/message.ts";
import { calibrationOf } from "../context/calibration.ts";
import { estimateMessage, estimatePrompt } from "../context/estimate.ts";
import { render } from "../context/render.ts";
import type { PromptMessage } from "../model/prompt.ts";
import { Compaction } from "./compact-history.ts";
import { isDigest } from "./digest.ts";

export interface Fitted {
  prompt: PromptMessage[];
  tokens: number;
  /** Messages of the history that were shortened or left out. */
  trimmed: number;
  /** The messages of the prompt, with the digest of the others. */
  history: Message[];
}

/** What requests have room for. All but `now` must stay the same within a conversation, or prompts lose their common beginning. */
export interface Room {
  /** The model's calibration now, and before this history. */
  now: Calibration;
  before: Calibration;
  /** Estimated tokens that system message and history may have together. */
  tokens(known: Calibration): number;
  /** Estimated tokens of the longest system message. */
  systemTokens: number;
  /** The share of the room that trimming leaves; measured by the bench. */
  lowWater?: number;
}

/**
 * Makes the prompt of `history` fit its room, which the system message `system` shares. It keeps the first user
 * message, the active plan with its updates, the latest answers and the last exchange. What an answered request left
 * out or shortened stays that way, whatever is counted since, as long as the same messages are posted; compacting twice
 * changes nothing. Throws `model_error` if what has to stay is larger than the room.
 */
export function fitPrompt(history: readonly Message[], system: string, room: number | Room): Fitted {
  const { now, before, tokens, systemTokens, lowWater } =
    typeof room === "number" ? fixedRoom(room, system) : room;
  const roomTokens = tokens(now);
  if (history.some(isDigest)) {
    const whole = rendered([...history], system);
    if (whole.tokens <= roomTokens) return { ...whole, trimmed: 0 };
  }

  // Repeats what earlier requests left out, so that prompts keep their common beginning.
  const compaction = new Compaction(systemTokens, lowWater);
  let budget = tokens(before);
  let openCalls = 0;
  for (const message of history) {
    const known = calibrationOf(message);
    if (known?.model === now.model) {
      budget = tokens(known);
      // It was learned when the provider refused an earlier version of the request that this message answers.
      compaction.fit(budget);
    }
    compaction.add(message);
    if (message.role === "assistant") openCalls = message.toolCalls?.length ?? 0;
    if (message.role === "tool") openCalls -= 1;
    if (openCalls <= 0) compaction.fit(budget);
  }
  compaction.fit(roomTokens);
  const { history: left, trimmed } = compaction.result(history);
  const fitted = rendered(left, system);
  if (fitted.tokens > roomTokens) throw tooLarge(roomTokens);
  return { ...fitted, trimmed };
}

function fixedRoom(tokens: number, system: string): Room {
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
