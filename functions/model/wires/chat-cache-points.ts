// Cache points for Anthropic's models: after the system message, and at the end of the prompt, with which the next
// request begins. They are a field of a text part. https://openrouter.ai/docs/features/prompt-caching (read 2026-11)
import type { WireMessage } from "./chat-messages.ts";

const ephemeral = { type: "ephemeral" } as const;

export function withCachePoints(messages: readonly WireMessage[]): WireMessage[] {
  const last = messages.findLastIndex(({ content }) => typeof content === "string" && content.trim() !== "");
  return messages.map((message, index) =>
    index === last || (index === 0 && message.role === "system") ? withPoint(message) : message,
  );
}

function withPoint(message: WireMessage): WireMessage {
  if (message.role === "assistant" || typeof message.content !== "string" || message.content.trim() === "")
    return message;
  return { ...message, content: [{ type: "text", text: message.content, cache_control: ephemeral }] };
}
