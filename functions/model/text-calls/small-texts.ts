// The instructions on text calls for a small model: few tools, a line each, and one worked edit from reading to the call.
import type { ToolDefinition } from "../prompt.ts";
import { toolSignature } from "./tool-signature.ts";

export const smallInstructions = `# Calling tools
You act only by calling tools. One call is one fence like this, at the start of a line, and it is the last thing you write:

\`\`\`tool
{"tool": "read_file", "args": {"path": "src/app.js"}}
\`\`\`

It is one JSON object with the keys "tool" and "args". In strings, a line end is \\n and a quote is \\". The result comes in the next message as [TOOL_RESULT …]. Never write a result yourself.
To change a file: read it, then call edit_file with text copied from it, without the \`12|\` in front. Code or a diff in your answer changes nothing.

Example. [TOOL_RESULT read_file …] shows \`4|const port = 80;\`. Your next answer:
The port becomes 8080.
\`\`\`tool
{"tool": "edit_file", "args": {"path": "src/app.js", "edits": [{"op": "replace_text", "old": "const port = 80;", "new": "const port = 8080;"}]}}
\`\`\`

When all is done, say so in a sentence without a fence: that ends your work.`;

const short: Readonly<Record<string, string>> = {
  read_file: '{path, lines?: "1-80"}: read a text file',
  search_files: "{pattern, regex?, glob?}: find text in files",
  edit_file:
    '{path, edits: [{op: "replace_text", old, new} | {op: "append", lines: [text]}]}: change a file; old is in it exactly once',
  write_file: "{path, content}: write a new file; base: the version, to replace one that was read",
  run_command: "{command}: run a shell command, such as the tests",
  ask_user: "{summary, questions: [{label, prompt, options?}]}: ask the person",
  exit_plan: "{plan}: submit the plan as text: # Goal, a sentence, # Plan, numbered steps",
};

/**
 * Whether a small model is shown the tool: the first request after a refusal of native calls was built with all tools.
 */
export function isForSmall({ name }: ToolDefinition): boolean {
  return name in short || name === "update_plan";
}

/** One line a tool; others as they are shown to all models. */
export function smallSignature(tool: ToolDefinition): string {
  const text = short[tool.name];
  return text === undefined ? toolSignature(tool) : `${tool.name} ${text}`;
}
