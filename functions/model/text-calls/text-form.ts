// Calls and results as text, for providers without native calls: `toTextForm` writes a prompt, `readTextCalls` finds the
// calls in what a model answers.
import { parseRecord } from "../json-value.ts";
import type { PromptMessage, ToolDefinition } from "../prompt.ts";
import { constrainedFormat as constrained } from "./constrained.ts";
import { isForSmall, smallInstructions, smallSignature } from "./small-texts.ts";
import { TextCallReader } from "./text-call-reader.ts";
import { toolSignature } from "./tool-signature.ts";

type PromptToolResult = Extract<PromptMessage, { role: "tool" }>;
type OtherMessage = Exclude<PromptMessage, PromptToolResult>;

/** How a model calls tools in text. At most 800 characters: they are paid with every request. */
export const textInstructions = `# Calling tools
To call a tool, write a fence that begins at the start of a line and holds one JSON object with exactly the keys "tool" and "args":

\`\`\`tool
{"tool": "read_file", "args": {"path": "src/app.js"}}
\`\`\`

Strings are JSON strings: write line ends as \\n and quotes as \\". Several calls: several fences, run in order. Write what you want to say before the first fence, and stop after the last one: the results come in the next message as [TOOL_RESULT name id ok|error] … [/TOOL_RESULT]. Never write such a block yourself. An answer without a fence ends your work. To show a call without running it, quote its lines with >.`;

/**
 * Finds the calls in a streamed answer. `known`: names of all tools. `fences`: calls are written in fences, as
 * `toTextForm` teaches; without it only the formats of models that were trained on another one count.
 */
export function readTextCalls(known: ReadonlySet<string>, options: { fences: boolean }): TextCallReader {
  return new TextCallReader(known, options);
}

/** What the server is to hold the next answer to, for a small model; undefined = nothing. */
export const constrainedFormat = constrained;

/** The prompt without `tool` messages and tool calls; the instructions go at the end of the system message. */
export function toTextForm(
  messages: readonly PromptMessage[],
  tools: readonly ToolDefinition[],
  small = false,
): PromptMessage[] {
  const out: PromptMessage[] = [];
  let results: string[] = [];
  const release = () => {
    if (results.length > 0) out.push({ role: "user", content: results.join("\n\n") });
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      results.push(resultBlock(message));
    } else {
      release();
      out.push(withoutCalls(message));
    }
  }
  release();
  return tools.length === 0 ? out : withInstructions(out, tools, small);
}

function withInstructions(
  messages: PromptMessage[],
  tools: readonly ToolDefinition[],
  small: boolean,
): PromptMessage[] {
  const listed = (small ? tools.filter(isForSmall).map(smallSignature) : tools.map(toolSignature)).join("\n");
  const taught = `${small ? smallInstructions : textInstructions}\n\n# Tools\n${listed}`;
  const [first, ...rest] = messages;
  if (first?.role !== "system") return [{ role: "system", content: taught }, ...messages];
  return [{ role: "system", content: `${first.content}\n\n${taught}` }, ...rest];
}

function withoutCalls(message: OtherMessage): PromptMessage {
  if (message.role !== "assistant" || !message.toolCalls?.length) return message;
  const fences = message.toolCalls.map(({ name, arguments: args }) => {
    // An unreadable call goes back as it was written, so that the model sees its mistake.
    const read = parseRecord(args);
    const written = read === undefined && args.trim() !== "" ? args : JSON.stringify(read ?? {});
    return `\`\`\`tool\n{"tool":${JSON.stringify(name)},"args":${written}}\n\`\`\``;
  });
  const parts = message.content.trim() === "" ? fences : [message.content.trimEnd(), ...fences];
  const { thought } = message;
  return { role: "assistant", content: parts.join("\n\n"), ...(thought ? { thought } : {}) };
}

/** What a tool returned cannot close its block. */
function resultBlock({ name, toolCallId, ok, content }: PromptToolResult): string {
  const escaped = content.replace(/\[(\s*)\/(\s*)TOOL_RESULT/gi, "[$1\\/$2TOOL_RESULT");
  return `[TOOL_RESULT ${name} ${toolCallId} ${ok ? "ok" : "error"}]\n${escaped}\n[/TOOL_RESULT]`;
}
