// The body of a request to Anthropic's Messages API. https://docs.anthropic.com/en/api/messages (read 2026-11)
import { parseRecord } from "../json-value.ts";
import type { PromptMessage } from "../prompt.ts";
import { answerParts } from "./answer-parts.ts";
import { wireId, wireName } from "./call-names.ts";
import { thinkingOf } from "./messages-thinking.ts";
import { withText } from "./user-text.ts";
import { takesImages, temperatureOf, type WireBody, type WireRequest } from "./wire-request.ts";

type ContentBlock = Record<string, unknown>;

interface RoleTurn {
  role: "user" | "assistant";
  content: ContentBlock[];
}

/** Every request needs a limit. This is what all recent models can write, or a part of the window if that is less. */
const maxOutput = 32_000;
/** The limit of the oldest and smallest models. */
const leastOutput = 4_096;

const cached = { cache_control: { type: "ephemeral" } };

export function messagesBody(request: WireRequest): WireBody {
  const { modelId, model, messages, tools, omit } = request;
  const system = messages.flatMap(({ role, content }) => (role === "system" ? content : [])).join("\n\n");
  const turns = turnsOf(request);
  const usual = omit.has("long_output") ? leastOutput : maxOutput;
  const maxTokens = model.maxOutput ?? Math.min(usual, Math.floor((model.contextWindow ?? Infinity) / 4));
  const thinking = thinkingOf(request, maxTokens, continuesUnthought(turns));
  const caches = !omit.has("cache_control");
  if (caches) addCachePoints(turns);
  return {
    max_tokens: maxTokens,
    // With thinking, no temperature may be set.
    ...(thinking.thinking ? {} : temperatureOf(request)),
    ...thinking,
    ...model.body,
    model: modelId,
    ...(system === "" ? {} : { system: [{ type: "text", text: system, ...(caches ? cached : {}) }] }),
    messages: turns,
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, parameters }) => ({
            ...{ name, description },
            input_schema: parameters,
          })),
        }
      : {}),
    stream: true,
  };
}

/**
 * Builds the turns: their roles alternate, the user's turn comes first, and results come first in the turn after their
 * calls.
 */
function turnsOf(request: WireRequest): RoleTurn[] {
  const turns: RoleTurn[] = [];
  for (const message of request.messages) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = blocksOf(message, request);
    if (content.length === 0) continue;
    if (turns.length === 0 && role === "assistant")
      turns.push({ role: "user", content: [textBlock("Go on.")] });
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  return turns;
}

function blocksOf(message: Exclude<PromptMessage, { role: "system" }>, request: WireRequest): ContentBlock[] {
  switch (message.role) {
    case "user": {
      const { text, images } = withText(message.content, message.attachments ?? [], takesImages(request));
      const pictures = images.map(({ mediaType, data }) => ({
        type: "image",
        source: { type: "base64", media_type: mediaType, data },
      }));
      // The API accepts neither a blank text nor a message without content.
      return text.trim() === "" && pictures.length > 0
        ? pictures
        : [...pictures, textBlock(text.trim() === "" ? "(nothing)" : text)];
    }
    case "tool": {
      const { toolCallId, ok, content } = message;
      return [
        {
          type: "tool_result",
          tool_use_id: wireId(toolCallId, callId),
          content: content.trim() === "" ? "(nothing)" : content,
          ...(ok ? {} : { is_error: true }),
        },
      ];
    }
    case "assistant":
      return answerParts(message, ({ type }) => request.thoughts && isThinking(type)).map((part) => {
        if (part.kind === "thought") return part.detail;
        if (part.kind === "text") return textBlock(part.text);
        const { id, name, arguments: args } = part.call;
        const input = parseRecord(args) ?? {};
        return { type: "tool_use", id: wireId(id, callId), name: wireName(name), input };
      });
  }
}

/** `tool_use.id` has to match ^[a-zA-Z0-9_-]+$: anomalyco/opencode#1680 (2025-08). */
const callId = /^[A-Za-z0-9_-]{1,64}$/;

function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

function isThinking(type: unknown): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** Whether results are sent back to calls without thinking before them; a thinking budget is then not allowed. */
function continuesUnthought(turns: readonly RoleTurn[]): boolean {
  const [answer, results] = turns.slice(-2);
  return results?.content[0]?.type === "tool_result" && !isThinking(answer?.content[0]?.type);
}

/**
 * Cache points: after the system prompt, which follows the tools; at the end, with which the next request begins; and
 * where the last request ended, because the cache is searched over 20 blocks only and many calls at once have more. At
 * most four are allowed. https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching (read 2026-11)
 */
function addCachePoints(turns: readonly RoleTurn[]): void {
  for (const { content } of turns.filter(({ role }) => role === "user").slice(-2))
    Object.assign(content.at(-1) ?? {}, cached);
}
