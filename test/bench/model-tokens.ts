// The tokens of one task with native calls and with calls in text, by the o200k vocabulary.
import { encode } from "gpt-tokenizer";
import { systemPrompt } from "../../functions/context/system-prompt.ts";
import { requestBody } from "../../functions/model/complete.ts";
import type { PromptMessage } from "../../functions/model/prompt.ts";
import type { Provider } from "../../functions/model/provider.ts";
import { offeredTools } from "../../functions/tools/offered-tools.ts";
import { toolDefinitions } from "../../functions/tools/tool-index.ts";

const provider: Provider = {
  id: "p",
  label: "P",
  baseUrl: "http://p.test/v1",
  models: [{ id: "m", contextWindow: 128_000 }],
  demo: false,
};

/** Four rounds: read, edit, test, report. Each of them sends all earlier ones again. */
function rounds(): PromptMessage[][] {
  const numbered = Array.from({ length: 60 }, (_, n) => `${n + 1}abc|  const value${n} = compute(${n});`);
  const system: PromptMessage = {
    role: "system",
    content: systemPrompt({ planning: false, planPrompt: undefined, callers: undefined }),
  };
  const user: PromptMessage = { role: "user", content: "Fix the failing test in src/sum.js." };
  const exchange = (id: string, name: string, args: object, content: string): PromptMessage[] => [
    { role: "assistant", content: "", toolCalls: [{ id, name, arguments: JSON.stringify(args) }] },
    { role: "tool", toolCallId: id, name, ok: true, content },
  ];
  const edits = [{ op: "replace", at: "3abc", lines: ["  const value2 = compute(3);"] }];
  const read = `[src/sum.js @v1 lines 1-60 of 60]\n${numbered.join("\n")}`;
  const steps = [
    exchange("call_1", "read_file", { path: "src/sum.js" }, read),
    exchange("call_2", "edit_file", { path: "src/sum.js", base: "v1", edits }, "[src/sum.js @v2] 1 changed"),
    exchange("call_3", "run_command", { command: "npm test" }, "exit 0\n12 passed"),
  ];
  return [0, 1, 2, 3].map((n) => [system, user, ...steps.slice(0, n).flat()]);
}

/**
 * Counts a request's messages and tools as JSON. A provider's own template makes slightly more or fewer
 * tokens of them.
 */
export async function printProtocolTokens(): Promise<void> {
  const tools = toolDefinitions(offeredTools("normal", undefined), undefined);
  const cost = (form: "native" | "text") =>
    Promise.all(
      rounds().map(async (messages) => {
        const body = await requestBody({ provider, modelId: "m", messages, tools }, form, new Set());
        return encode(JSON.stringify({ messages: body.messages, tools: body.tools })).length;
      }),
    );
  const native = await cost("native");
  const text = await cost("text");
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  console.log("tokens sent for one task of four rounds (read, edit, test, answer), as JSON:");
  console.log(`  native calls   ${sum(native)} (${native.join(" + ")})`);
  console.log(
    `  calls in text  ${sum(text)} (${text.join(" + ")}), ${(sum(text) / sum(native)).toFixed(2)}× of native`,
  );
}
