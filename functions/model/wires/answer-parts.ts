// An answer's reasoning, text and calls in their original order. Anthropic signs reasoning at its position, and OpenAI
// wants each reasoning item before the item that it led to: NousResearch/hermes-agent#41266, enricoros/big-AGI#966
// (2026).

import { type JsonRecord, stringOrEmpty } from "../json-value.ts";
import type { PromptCall, PromptMessage } from "../prompt.ts";

/**
 * A placeholder in a thought's `details` for text or a call between pieces of reasoning: a text of this many characters
 * (with OpenAI's `phase`, which it wants back), or the next call.
 */
export type Placeholder = { type: "said"; chars: number; phase?: string } | { type: "called" };

export type AnswerPart =
  | { kind: "thought"; detail: JsonRecord }
  | { kind: "text"; text: string; phase?: string }
  | { kind: "call"; call: PromptCall };

type PromptAnswer = Extract<PromptMessage, { role: "assistant" }>;

/**
 * `isOwn`: which details are reasoning that this wire format accepts. Reasoning at the end is left out, because no API
 * accepts it there.
 */
export function answerParts(answer: PromptAnswer, isOwn: (detail: JsonRecord) => boolean): AnswerPart[] {
  const { content, toolCalls = [], thought } = answer;
  const parts: AnswerPart[] = [];
  let said = 0;
  let called = 0;
  const say = (chars: number, phase: string) => {
    const text = content.slice(said, said + chars);
    said += chars;
    if (text.trim() !== "") parts.push({ kind: "text", text, ...(phase ? { phase } : {}) });
  };
  const call = () => {
    const next = toolCalls[called++];
    if (next) parts.push({ kind: "call", call: next });
  };
  for (const detail of thought?.details ?? []) {
    if (isOwn(detail)) parts.push({ kind: "thought", detail });
    else if (detail.type === "said") say(Number(detail.chars), stringOrEmpty(detail.phase));
    else if (detail.type === "called") call();
  }
  say(Infinity, "");
  while (called < toolCalls.length) call();
  while (parts.at(-1)?.kind === "thought") parts.pop();
  return parts;
}
