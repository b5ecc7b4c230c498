// Relays and backends of the Responses and Messages APIs, as users of other agents reported them in 2026.
import { describe, expect, test } from "vitest";
import { streamCompletion } from "../../../functions/model/complete.ts";
import type { PromptMessage } from "../../../functions/model/prompt.ts";
import type { Refused } from "../../../functions/model/provider.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { startModelServer } from "../../fakes/model-server.ts";
import { collect, endOf, patientDeps, providerAt, requestTo } from "./complete-with.ts";

describe("the two other provider APIs", () => {
  /** Two rounds of one model: it thinks and calls, then it answers. `rule` refuses the second request. */
  async function rounds(
    wire: "responses" | "messages",
    sequence: ModelReply["sequence"],
    rule: (body: string) => ModelReply | undefined,
  ) {
    let first = true;
    const server = await startModelServer((body) => {
      const refused = rule(JSON.stringify(body));
      if (refused) return refused;
      const reply: ModelReply = first && sequence ? { sequence } : { text: "ok" };
      first = false;
      return reply;
    });
    try {
      const omit = new Set<Refused>();
      const provider = providerAt(server.url, { wire });
      const ask = async (messages: PromptMessage[]) =>
        endOf(
          await collect(
            streamCompletion(
              patientDeps,
              requestTo(server.url, { provider, messages, omit, conversationId: "talk" }),
            ),
          ),
        );
      const messages: PromptMessage[] = [
        { role: "system", content: "s" },
        { role: "user", content: "read a" },
      ];
      const { calls, reasoning, thought: kept, text } = await ask(messages);
      const [call] = calls;
      const end = await ask([
        ...messages,
        { role: "assistant", content: text, toolCalls: calls, thought: { text: reasoning, ...kept } },
        ...(call
          ? [{ role: "tool", name: call.name, toolCallId: call.id, ok: true, content: "1|a" } as const]
          : []),
      ]);
      return {
        requests: server.requests.length,
        text: end.text,
        bodies: server.requests.map(({ body }) => JSON.stringify(body)),
      };
    } finally {
      await server.close();
    }
  }
  const thinks: ModelReply["sequence"] = [
    { reasoning: "hm" },
    { call: { id: "c1", name: "read_file", args: { path: "a" } } },
  ];

  test("Codex' backend does not accept reasoning: it is left out (earendil-works/pi#6022)", async () => {
    const refuse = (body: string) =>
      body.includes('"encrypted_content":')
        ? { status: 400, body: { detail: "Unsupported content type" } }
        : undefined;
    expect(await rounds("responses", thinks, refuse)).toMatchObject({ requests: 3, text: "ok" });
  });

  test("a cache key that a relay does not know is left out (Stack-Cairn/LiveAgent#435)", async () => {
    const refuse = (body: string) =>
      body.includes("prompt_cache_key")
        ? { status: 400, body: { detail: "Validation: Unsupported parameter(s): prompt_cache_key" } }
        : undefined;
    const { requests, text } = await rounds("responses", thinks, refuse);
    expect({ requests: requests <= 3, text }).toEqual({ requests: true, text: "ok" });
  });

  test("a signature without text is sent back: Opus at Bedrock (BerriAI/litellm#38809)", async () => {
    const { requests, text, bodies } = await rounds(
      "messages",
      [{ reasoning: "" }, ...thinks.slice(1)],
      () => undefined,
    );
    expect({ requests, text }).toEqual({ requests: 2, text: "ok" });
    expect(bodies[1]).toMatch(/redacted_thinking|"signature":/);
  });
});
