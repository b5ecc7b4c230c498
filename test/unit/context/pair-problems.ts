// Finds calls and results that are separated, which a provider would refuse.
import type { PromptMessage } from "../../../functions/model/prompt.ts";

/** Calls that are not directly followed by their results, and results without a call. */
export function pairProblems(prompt: readonly PromptMessage[]): string[] {
  const problems: string[] = [];
  let open: string[] = [];
  for (const message of prompt) {
    if (message.role === "tool") {
      if (open[0] !== message.toolCallId) problems.push(`result ${message.toolCallId}`);
      open = open.slice(1);
    } else {
      problems.push(...open.map((id) => `call ${id}`));
      open = message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [];
    }
  }
  return [...problems, ...open.map((id) => `call ${id}`)];
}
