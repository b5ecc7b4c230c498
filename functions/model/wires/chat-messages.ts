// Converts a prompt to the messages of a chat-completions request with native tool calls. The text form is in
// text-calls/.
import type { Attachment, ReasoningField } from "../../../shared/message.ts";
import { parseRecord } from "../json-value.ts";
import type { PromptCall, PromptMessage, PromptThought, ToolDefinition } from "../prompt.ts";
import { wireId, wireName } from "./call-names.ts";
import { dataUrl, withText } from "./user-text.ts";

interface TextPart {
  type: "text";
  text: string;
  cache_control?: { type: "ephemeral" };
}

type WirePart = TextPart | { type: "image_url"; image_url: { url: string } };

interface WireCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
  extra_content?: unknown;
}

/** Fields of an assistant message that OpenAI does not have. */
type WireReasoning = Partial<Record<ReasoningField, string>> & { reasoning_details?: unknown[] };

export type WireMessage =
  | { role: "system"; content: string | TextPart[] }
  | { role: "user"; content: string | WirePart[] }
  | ({ role: "assistant"; content: string | null; tool_calls?: WireCall[] } & WireReasoning)
  | { role: "tool"; tool_call_id: string; content: string | TextPart[] };

export interface WireTool {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

export interface WireOptions {
  /** false = the model does not accept images. */
  images: boolean;
  /** The call ids that the provider accepts. Another id is replaced, always by the same one. */
  callId: RegExp;
  /** Whether to put an answer between a tool's result and the user's next message. */
  bridges: boolean;
  /** How reasoning is sent back: unchanged, not at all, or unchanged with a placeholder if it is missing. */
  reasoning: "own" | "none" | "every";
  /** Calls without a thought signature get Google's own placeholder. */
  signatures: boolean;
}

/**
 * A placeholder for missing reasoning: the answer is from another model, or was stored before reasoning was kept.
 * DeepSeek accepts any text, Kimi any that is not empty. https://github.com/anomalyco/opencode/issues/10996
 * (2026-02-11)
 */
const noReasoning = ".";
/**
 * Google's placeholder for calls without a signature. https://ai.google.dev/gemini-api/docs/thought-signatures (read
 * 2026-11)
 */
const noSignature = { google: { thought_signature: "skip_thought_signature_validator" } };

/** Converts only the messages: the provider's roles, and `{}` for invalid arguments. */
export function toWire(messages: readonly PromptMessage[], options: WireOptions): WireMessage[] {
  return messages.flatMap((message, index) => {
    const wire = toWireMessage(message, options);
    const bridged = options.bridges && wire.role === "user" && messages[index - 1]?.role === "tool";
    return bridged ? [bridge, wire] : [wire];
  });
}

const bridge: WireMessage = { role: "assistant", content: "Noted." };

/**
 * For templates that accept neither a system message nor two messages of one role in a row: the user says what the
 * system message says, and such messages are joined.
 */
export function alternating(messages: readonly WireMessage[]): WireMessage[] {
  const out: WireMessage[] = [];
  for (const message of messages) {
    const next: WireMessage =
      message.role === "system" ? { role: "user", content: message.content } : message;
    const last = out.at(-1);
    if (last?.role === "user" && next.role === "user") out[out.length - 1] = joined(last, next);
    else out.push(next);
  }
  return out;
}

type WireUserMessage = Extract<WireMessage, { role: "user" }>;

function joined(first: WireUserMessage, second: WireUserMessage): WireUserMessage {
  if (typeof first.content === "string" && typeof second.content === "string")
    return { role: "user", content: `${first.content}\n\n${second.content}` };
  return { role: "user", content: [...parts(first), ...parts(second)] };
}

function parts({ content }: WireUserMessage): WirePart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

export function toWireTools(tools: readonly ToolDefinition[]): WireTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
}

function toWireMessage(message: PromptMessage, options: WireOptions): WireMessage {
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content };
    case "user":
      return {
        role: "user",
        content: userContent(message.content, message.attachments ?? [], options.images),
      };
    case "assistant": {
      const calls = message.toolCalls ?? [];
      const reasoning = wireReasoning(message.thought, options);
      if (calls.length === 0) return { role: "assistant", content: message.content, ...reasoning };
      const content = message.content.trim() === "" ? null : message.content;
      const wireCalls = calls.map((call, index) => toWireCall(call, index, options));
      return { role: "assistant", content, ...reasoning, tool_calls: wireCalls };
    }
    case "tool":
      return {
        role: "tool",
        tool_call_id: wireId(message.toolCallId, options.callId),
        content: message.content,
      };
  }
}

/** Details that the other wire formats keep, in answers by the same model while it was used through one of them. */
const otherWires = /^((redacted_)?thinking|reasoning|said|called)$/;

function wireReasoning(thought: PromptThought | undefined, { reasoning }: WireOptions): WireReasoning {
  if (reasoning === "none") return {};
  const details = thought?.details?.filter(({ type }) => !otherWires.test(String(type))) ?? [];
  if (details.length > 0) return { reasoning_details: details };
  if (reasoning === "every") return { [thought?.field ?? "reasoning_content"]: thought?.text || noReasoning };
  return thought?.field === undefined ? {} : { [thought.field]: thought.text };
}

/** When calls were made together, only the first has a signature. */
function toWireCall(call: PromptCall, index: number, { callId, signatures }: WireOptions): WireCall {
  const { id, name, arguments: args } = call;
  const extra = call.extra ?? (signatures && index === 0 ? noSignature : undefined);
  return {
    id: wireId(id, callId),
    type: "function",
    function: { name: wireName(name), arguments: parseRecord(args) === undefined ? "{}" : args },
    ...(extra ? { extra_content: extra } : {}),
  };
}

function userContent(
  content: string,
  attachments: readonly Attachment[],
  images: boolean,
): string | WirePart[] {
  const said = withText(content, attachments, images);
  if (said.images.length === 0) return said.text;
  return [
    { type: "text", text: said.text },
    ...said.images.map((image): WirePart => ({ type: "image_url", image_url: { url: dataUrl(image) } })),
  ];
}
