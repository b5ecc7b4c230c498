// Size of a prompt in tokens, estimated: 3.5 characters a token, as the field does where no tokenizer is at hand.
import type { AssistantMessage, Message } from "../../shared/message.ts";
import type { PromptMessage, ToolDefinition } from "../model/prompt.ts";

export const charsPerToken = 3.5;
/** Role and separators of one message on the wire. */
const tokensPerMessage = 4;
/** An image is billed by its tiles, not its bytes: about the size of one large picture. */
const tokensPerImage = 1_100;

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
      tokens += attachment.kind === "image" ? tokensPerImage : estimateText(attachment.data);
    }
  }
  return tokens;
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
