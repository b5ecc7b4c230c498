// A provider that counts with a real tokenizer, and refuses prompts that are too long or separate calls from
// their results.
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import type { ModelReply } from "./model-reply.ts";
import type { RequestBody } from "./model-server.ts";

export class StrictWindow {
  refused = 0;
  /** The tokens of the largest request that was answered. */
  mostTokens = 0;
  readonly #sizes = new Map<string, number>();

  /** `named` = a refusal states how many tokens are allowed and how many were sent. */
  constructor(
    readonly windowTokens: number,
    readonly named: boolean,
  ) {}

  /** Answers `body` with `reply` and its usage, or refuses it. */
  answer(body: RequestBody, reply: () => ModelReply): ModelReply {
    const tokens = this.count(body);
    const apart = pairProblem(body);
    if (apart) return { status: 400, body: { error: { message: apart } } };
    if (tokens > this.windowTokens) {
      this.refused += 1;
      const message = this.named
        ? `This model's maximum context length is ${this.windowTokens} tokens. However, your messages resulted in ${tokens} tokens.`
        : "The prompt is too long.";
      return { status: 400, body: { error: { code: "context_length_exceeded", message } } };
    }
    this.mostTokens = Math.max(this.mostTokens, tokens);
    return { ...reply(), usage: { prompt_tokens: tokens, completion_tokens: 20 } };
  }

  count({ messages, tools }: RequestBody): number {
    return [JSON.stringify(tools ?? ""), ...messages.map((message) => JSON.stringify(message))]
      .map((text) => this.#size(text))
      .reduce((sum, size) => sum + size, 0);
  }

  #size(text: string): number {
    const size = this.#sizes.get(text) ?? encode(text).length;
    this.#sizes.set(text, size);
    return size;
  }
}

/**
 * Problems that OpenAI answers with 400: a call that its result does not directly follow, and a result
 * without its call.
 */
function pairProblem({ messages }: RequestBody): string | undefined {
  let open: string[] = [];
  for (const { role, tool_call_id, tool_calls } of messages) {
    if (role === "tool" && open.shift() !== tool_call_id) return `result ${tool_call_id} has no call`;
    if (role !== "tool" && open.length > 0) return `call ${open[0]} has no result`;
    if (role === "assistant") open = (tool_calls ?? []).map(({ id }) => id);
  }
  return open.length > 0 ? `call ${open[0]} has no result` : undefined;
}
