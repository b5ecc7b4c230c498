// What a model is asked, in one form for every provider. Knows no wire format: wire.ts turns it into one.
import type { Attachment, ToolCall } from "../../shared/message.ts";

/** One message of a request. Every call of an assistant message has its `tool` message before the next other role. */
export type PromptMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string; attachments?: Attachment[] }
  | { role: "assistant"; content: string; toolCalls?: ToolCall[] }
  | { role: "tool"; toolCallId: string; name: string; ok: boolean; content: string };

/** A tool as it is offered; `parameters` is a JSON schema of type object. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}
