// A model's prompt in a form that is independent of the provider. wire.ts converts it to a wire format.
import type { Attachment, Thought, ToolCall } from "../../shared/message.ts";

/**
 * One message of a request. Each call of an assistant message has a `tool` message, before any message with another
 * role.
 */
export type PromptMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string; attachments?: Attachment[] }
  | { role: "assistant"; content: string; toolCalls?: PromptCall[]; thought?: PromptThought }
  | { role: "tool"; toolCallId: string; name: string; ok: boolean; content: string };

export interface PromptCall extends ToolCall {
  /** What the provider sent with the call and wants back. */
  extra?: Record<string, unknown>;
}

/** Reasoning that is sent back to the model that produced it. */
export interface PromptThought extends Pick<Thought, "field" | "details"> {
  text: string;
}

/** A tool as it is offered to the model; `parameters` is a JSON schema of type object. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}
