// Size of a prompt in tokens, estimated: 3.5 characters a token, as is usual without a tokenizer.
import type { AssistantMessage, Message } from "../../shared/message.ts";
import type { PromptMessage, ToolDefinition } from "../model/prompt.ts";
import { pixelsOf } from "./picture-size.ts";

export const charsPerToken = 3.5;
/** Role and separators of one message on the wire. */
const tokensPerMessage = 4;
/** A picture whose size cannot be read: about one that fills a screen. */
const tokensPerImage = 1_100;
/**
 * Pictures are billed by their pixels: a token for 750 of them, once a large one is scaled down to 1,568 on its longer
 * side; at least what OpenAI asks for a small one. https://docs.claude.com/en/docs/build-with-claude/vision and
 * https://platform.openai.com/docs/guides/images-vision
 */
const pixelsPerToken = 750;
const maxSide = 1_568;
const maxImageTokens = 1_600;
const minImageTokens = 85;

export function estimateText(text: string): number {
  return Math.ceil(text.length / charsPerToken);
}

export function estimateMessage(message: PromptMessage | Exclude<Message, AssistantMessage>): number {
  let tokens = tokensPerMessage + estimateText(message.content);
  if (message.role === "assistant") {
    for (const { name, arguments: args, extra } of message.toolCalls ?? []) {
      tokens += estimateText(name) + estimateText(args) + tokensPerMessage;
      if (extra) tokens += estimateText(JSON.stringify(extra));
    }
    const { text = "", details } = message.thought ?? {};
    tokens += estimateText(details ? JSON.stringify(details) : text);
  }
  if (message.role === "user") {
    for (const attachment of message.attachments ?? []) {
      tokens += attachment.kind === "image" ? estimateImage(attachment.data) : estimateText(attachment.data);
    }
  }
  return tokens;
}

function estimateImage(base64: string): number {
  const pixels = pixelsOf(base64);
  if (!pixels) return tokensPerImage;
  const { width, height } = pixels;
  const scale = Math.min(1, maxSide / Math.max(width, height));
  const tokens = Math.ceil((width * scale * height * scale) / pixelsPerToken);
  return Math.max(minImageTokens, Math.min(tokens, maxImageTokens));
}

export function estimatePrompt(messages: readonly PromptMessage[]): number {
  return messages.reduce((sum, message) => sum + estimateMessage(message), 0);
}

export function estimateTools(tools: readonly ToolDefinition[]): number {
  return estimateText(JSON.stringify(tools));
}

/** Tokens a prompt may use of a model's window; the rest is for the answer and for what the estimate misses. */
export function promptBudget(contextWindow: number): number {
  return Math.floor(contextWindow * 0.8);
}
