// Anthropic's Messages API: the requests, the answers, and the meaning of refusals.
import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { endOf, standing } from "./complete-with.ts";
import { type Model, talkOver } from "./over-wire.ts";

const opus: Model = { wire: "messages", id: "claude-opus-4-8" };
const haiku: Model = { wire: "messages", id: "claude-haiku-4-5" };
const looks: ModelReply = {
  reasoning: "Let me look.",
  text: "Looking.",
  calls: [{ name: "read_file", args: { path: "ä" } }],
};

describe("an answer over Messages", () => {
  test.each([1, 9, "bytes" as const])("is read whole, in %s pieces", async (fragments) => {
    const usage = {
      prompt_tokens: 7,
      completion_tokens: 30,
      cache_read_input_tokens: 900,
      cache_creation_input_tokens: 93,
    };
    await talkOver(opus, [{ ...looks, fragments, usage }], async (talk) => {
      const events = await talk.ask();
      const { calls, ...end } = endOf(events);
      expect(end).toMatchObject({ finish: "tool_calls", text: "Looking.", reasoning: "Let me look." });
      expect(calls).toMatchObject([{ id: "toolu_r1_0", name: "read_file", arguments: '{"path":"ä"}' }]);
      expect(events).toContainEqual({
        type: "usage",
        inputTokens: 1_000,
        outputTokens: 30,
        cachedTokens: 900,
        writtenTokens: 93,
      });
      expect(events.some(({ type }) => type === "retry")).toBe(false);
    });
  });

  test("that comes as one body is the same", async () => {
    await talkOver(opus, [{ ...looks, quirks: { plainJson: true } }, looks], async (talk) => {
      const [whole, streamed] = [endOf(await talk.ask()), endOf(await talk.ask())];
      expect({ ...whole, calls: [] }).toEqual({ ...streamed, calls: [], thought: whole.thought });
      expect(whole.calls[0]?.arguments).toBe(streamed.calls[0]?.arguments);
      expect(talk.refusals).toEqual([]);
    });
  });

  test("may have several calls, one without arguments, one with its input at the start", async () => {
    const calls = [{ name: "read_file" }, { name: "edit_file", args: { a: 1 } }];
    await talkOver(opus, [{ calls }, { calls, quirks: { objectArguments: true } }], async (talk) => {
      const args = async () => endOf(await talk.ask()).calls.map((made) => made.arguments);
      expect(await args()).toEqual(["{}", '{"a":1}']);
      expect(await args()).toEqual(["{}", '{"a":1}']);
    });
  });

  test.each([
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content_filter"],
    ["stop_sequence", "stop"],
    ["pause_turn", "stop"],
  ])("that ends with %s ends with %s", async (finish, expected) => {
    await talkOver(opus, [{ text: "x", finish }], async (talk) => {
      expect(endOf(await talk.ask()).finish).toBe(expected);
    });
  });

  test("that is cut off is requested again", async () => {
    await talkOver(
      opus,
      [{ text: "Half of it. ".repeat(99), cut: 2_000 }, { text: "All of it" }],
      async (talk) => {
        const events = await talk.ask();
        expect(endOf(events).text).toBe("All of it");
        expect(events).toContainEqual({ type: "retry" });
      },
    );
  });
});

const anthropic = (message: string, type = "invalid_request_error") => ({
  type: "error",
  error: { type, message },
});

describe("a request over Messages", () => {
  test("has its key, its version, the system prompt apart, and at most four cache points", async () => {
    await talkOver(opus, [looks, looks, looks, { text: "Done." }], async (talk) => {
      for (let round = 0; round < 4; round += 1) await talk.ask();
      expect(talk.refusals).toEqual([]);
      const { headers, body } = talk.server.requests[3] ?? {};
      expect(headers).toMatchObject({ "x-api-key": "sk-test-secret-key", "anthropic-version": "2023-06-01" });
      expect(headers?.authorization).toBeUndefined();
      const cached = { cache_control: { type: "ephemeral" } };
      expect(body).toMatchObject({
        stream: true,
        max_tokens: 8_000,
        system: [{ type: "text", text: "be good", ...cached }],
      });
      const points = (
        JSON.parse(JSON.stringify(body)) as { messages: { content: { cache_control?: unknown }[] }[] }
      ).messages.map(({ content }) => content.filter((block) => block.cache_control).length);
      expect(points).toEqual([0, 0, 0, 0, 1, 0, 1]);
    });
  });

  test("accepts every history: empty texts, images, consecutive answers, ids with dots, broken arguments", async () => {
    await talkOver(haiku, [{ text: "ok" }], async (talk) => {
      const image = { kind: "image" as const, name: "a.png", mediaType: "image/png", data: "AAAA" };
      talk.messages = [
        { role: "assistant", content: "I begin." },
        { role: "user", content: " ", attachments: [image] },
        { role: "user", content: "" },
        {
          role: "assistant",
          content: " ",
          toolCalls: [{ id: "t1.0.1", name: "fly to", arguments: "{broken" }],
        },
        { role: "tool", toolCallId: "t1.0.1", name: "fly to", ok: false, content: "" },
        { role: "user", content: "And?" },
        { role: "assistant", content: "one" },
        { role: "assistant", content: "two" },
      ];
      await talk.ask();
      expect(talk.refusals).toEqual([]);
    });
  });

  test("in text form has no tools and no results", async () => {
    const fence = '```tool\n{"tool":"read_file","args":{"path":"a"}}\n```';
    await talkOver(haiku, [{ text: fence }, { text: "ok" }], async (talk) => {
      await talk.ask({ toolProtocol: "text" });
      await talk.ask({ toolProtocol: "text" });
      expect(talk.refusals).toEqual([]);
      expect(talk.bodies().map(({ tools }) => tools)).toEqual([undefined, undefined]);
    });
  });
});

describe("a refusal over Messages", () => {
  const fails = async (reply: ModelReply) => {
    let problem: unknown;
    await talkOver(opus, [reply], async (talk) => {
      problem = await talk.ask({ maxRetries: 0 }).catch((error: unknown) => error);
    });
    return problem;
  };

  test.each<[string, number, string, object]>([
    [
      "prompt is too long: 208310 tokens > 200000 maximum",
      400,
      "invalid_request_error",
      { code: "model_error", details: { reason: "context_length" } },
    ],
    [
      "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
      400,
      "invalid_request_error",
      { details: { reason: "context_length" } },
    ],
    ["Request exceeds the maximum size", 413, "request_too_large", { details: { reason: "context_length" } }],
    [
      "invalid x-api-key",
      401,
      "authentication_error",
      { message: expect.stringContaining("OPENAI_API_KEY") },
    ],
    [
      "Your credit balance is too low to access the Anthropic API.",
      400,
      "invalid_request_error",
      { message: expect.stringContaining("no credit left") },
    ],
    [
      "model: claude-opus-9",
      404,
      "not_found_error",
      { message: expect.stringContaining("has no model claude-opus-4-8") },
    ],
    [
      "This request would exceed your organization's rate limit",
      429,
      "rate_limit_error",
      { code: "rate_limited" },
    ],
    ["Overloaded", 529, "overloaded_error", { message: expect.stringContaining("529"), retryable: true }],
  ])("%s", async (message, status, type, expected) => {
    expect(await fails({ status, body: anthropic(message, type) })).toMatchObject(expected);
  });

  test.each(["overloaded_error", "api_error", "rate_limit_error"])(
    "%s in the stream is retried",
    async (type) => {
      const begun = [
        { type: "message_start", message: {} },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "Ha" } },
      ];
      await talkOver(
        opus,
        [{ chunks: [...begun, anthropic("Overloaded", type)] }, { text: "ok" }],
        async (talk) => {
          expect(standing(await talk.ask())).toMatchObject([
            { type: "text", delta: "ok" },
            { type: "usage" },
            { type: "end" },
          ]);
        },
      );
    },
  );

  test("of so long an answer leads to a shorter one", async () => {
    const words =
      "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku";
    const settings = { contextWindow: 200_000 };
    await talkOver(
      { wire: "messages", id: "claude-3-5-haiku", settings },
      [{ status: 400, body: anthropic(words) }, { text: "ok" }],
      async (talk) => {
        await talk.ask();
        expect(talk.bodies().map((body) => body.max_tokens)).toEqual([32_000, 4_096]);
      },
    );
  });
});
