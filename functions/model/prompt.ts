// What a model is asked, in one form for every provider. Knows no wire format: wire.ts turns it into one.
import type { Attachment, Thought, ToolCall } from "../../shared/message.ts";

/** One message of a request. Every call of an assistant message has its `tool` message before the next other role. */
export type PromptMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string; attachments?: Attachment[] }
  | { role: "assistant"; content: string; toolCalls?: PromptCall[]; thought?: PromptThought }
  | { role: "tool"; toolCallId: string; name: string; ok: boolean; content: string };

export interface PromptCall extends ToolCall {
  /** What its provider sent beside it and wants back. */
  extra?: Record<string, unknown>;
}

/** Reasoning that goes back to the model it came from. */
export interface PromptThought extends Pick<Thought, "field" | "details"> {
  text: string;
}

/** A tool as it is offered; `parameters` is a JSON schema of type object. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}
