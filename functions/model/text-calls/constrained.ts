// Constrained output for a small model that was just told of a call that could not be read: where its server can, it can only
// write one object that names a tool. What the server can is found by trying, from the first of `forms` to the last: one that is
// refused is not sent again, and a server that ignores it is read as any other.
// - `response_format`: Ollama from 0.5 on hands the schema to its grammar (https://pydantic.dev/docs/ai/api/models/ollama/, which
//   also says that its cloud does not: ollama/ollama#12362); LM Studio and vLLM take it as well.
// - `grammar`: llama.cpp's own field, in GBNF. Builds of its server refuse the schema with "Either \"json_schema\" or \"grammar\"
//   can be specified, but not both" (ggml-org/llama.cpp#11847, 2025-02).
import type { PromptMessage, ToolDefinition } from "../prompt.ts";

/** How the notice of an unread call begins in a prompt. */
const notice = /source="?unread_call|unread_call/;

export type ConstrainedForm = "response_format" | "grammar";

const forms: Readonly<Record<ConstrainedForm, (names: readonly string[]) => unknown>> = {
  response_format: schemaOf,
  grammar: grammarOf,
};

/**
 * The field of the request that limits the next answer to one object. Undefined if the last message is no such notice,
 * or each form is among `refused`.
 */
export function constrainedFormat(
  messages: readonly PromptMessage[],
  tools: readonly ToolDefinition[],
  refused: ReadonlySet<string>,
): Record<string, unknown> | undefined {
  const last = messages.at(-1);
  if (last?.role !== "user" || !notice.test(last.content) || tools.length === 0) return undefined;
  const [form] = Object.entries(forms).filter(([name]) => !refused.has(name));
  return form && { [form[0]]: form[1]([...tools.map(({ name }) => name), "none"]) };
}

/** One shape with any arguments: grammars of alternatives are slow to make, and arguments are checked in any case. */
function schemaOf(names: readonly string[]): unknown {
  const schema = {
    type: "object",
    properties: {
      say: { type: "string" },
      tool: { type: "string", enum: names },
      args: { type: "object" },
    },
    required: ["say", "tool", "args"],
  };
  return { type: "json_schema", json_schema: { name: "answer", schema } };
}

/** The same as GBNF: https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md (read 2026-11). */
function grammarOf(names: readonly string[]): string {
  const key = (name: string) => `"\\"${name}\\"" ws ":" ws`;
  return [
    `root ::= "{" ws ${key("say")} string ws "," ws ${key("tool")} tool ws "," ws ${key("args")} object ws "}"`,
    `tool ::= ${names.map((name) => `"\\"${name}\\""`).join(" | ")}`,
    'value ::= object | array | string | number | "true" | "false" | "null"',
    'object ::= "{" ws (string ws ":" ws value (ws "," ws string ws ":" ws value)*)? ws "}"',
    'array ::= "[" ws (value (ws "," ws value)*)? ws "]"',
    String.raw`string ::= "\"" ([^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""`,
    'number ::= "-"? [0-9]+ ("." [0-9]+)?',
    String.raw`ws ::= [ \t\n]{0,20}`,
  ].join("\n");
}
