// Constrained output for a small model that was just told of a call that could not be read: where its server can, it can only
// write one object that names a tool. Found by trying: a server that refuses `response_format` is asked without from then on, and
// one that ignores it is read as any other. llama.cpp, Ollama (0.5 and later), LM Studio and vLLM take it.
// https://docs.ollama.com/capabilities/structured-outputs, https://github.com/ggml-org/llama.cpp/tree/master/tools/server
import type { PromptMessage, ToolDefinition } from "../prompt.ts";

/** How the notice of an unread call begins in a prompt. */
const notice = /source="?unread_call|unread_call/;

/** Undefined where the last message is no such notice. */
export function constrainedFormat(
  messages: readonly PromptMessage[],
  tools: readonly ToolDefinition[],
): Record<string, unknown> | undefined {
  const last = messages.at(-1);
  if (last?.role !== "user" || !notice.test(last.content) || tools.length === 0) return undefined;
  // One shape with any arguments: grammars of alternatives are slow to make, and arguments are checked in any case.
  const schema = {
    type: "object",
    properties: {
      say: { type: "string" },
      tool: { type: "string", enum: [...tools.map(({ name }) => name), "none"] },
      args: { type: "object" },
    },
    required: ["say", "tool", "args"],
  };
  return { type: "json_schema", json_schema: { name: "answer", schema } };
}
