// OpenAI's Responses API without storage: the requests, the answers, and the meaning of refusals.
import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { endOf } from "./complete-with.ts";
import { type Model, talkOver } from "./over-wire.ts";

const gpt: Model = { wire: "responses", id: "gpt-5.4" };
const call = (id: string) => ({ call: { id, name: "read_file", args: { path: "a.txt" } } });
const looks: ModelReply = {
  reasoning: "Let me look.",
  text: "Looking.",
  calls: [{ name: "read_file", args: { path: "ä" } }],
};

describe("an answer over Responses", () => {
  test.each([1, 9, "bytes" as const])("is read whole, in %s pieces", async (fragments) => {
    const usage = {
      prompt_tokens: 1_000,
      completion_tokens: 30,
      input_tokens_details: { cached_tokens: 900 },
    };
    await talkOver(gpt, [{ ...looks, fragments, usage }], async (talk) => {
      const events = await talk.ask();
      const { calls, ...end } = endOf(events);
      expect(end).toMatchObject({ finish: "tool_calls", text: "Looking.", reasoning: "Let me look." });
      expect(calls).toMatchObject([{ id: "call_r1_2", name: "read_file", arguments: '{"path":"ä"}' }]);
      expect(events).toContainEqual({
        type: "usage",
        inputTokens: 1_000,
        outputTokens: 30,
        cachedTokens: 900,
      });
    });
  });

  test("that comes as one body, or with whole calls, is the same", async () => {
    const replies = [
      looks,
      { ...looks, quirks: { plainJson: true } },
      { ...looks, quirks: { objectArguments: true } },
    ];
    await talkOver(gpt, replies, async (talk) => {
      const [streamed, ...others] = [
        endOf(await talk.ask()),
        endOf(await talk.ask()),
        endOf(await talk.ask()),
      ];
      for (const { calls, ...end } of others) {
        expect({ ...end, calls: [] }).toEqual({ ...streamed, calls: [] });
        expect(calls[0]?.arguments).toBe(streamed?.calls[0]?.arguments);
      }
      expect(talk.refusals).toEqual([]);
    });
  });

  test("may have several calls, one without arguments", async () => {
    const calls = [{ name: "read_file" }, { name: "edit_file", args: { a: 1 } }];
    await talkOver(gpt, [{ calls }], async (talk) => {
      expect(endOf(await talk.ask()).calls.map((made) => made.arguments)).toEqual(["{}", '{"a":1}']);
    });
  });

  test("arguments cut by the answer's token limit are reported as that, and not twice", async () => {
    const calls = [{ name: "read_file", args: '{"path":"a' }];
    await talkOver(gpt, [{ calls, finish: "max_output_tokens" }], async (talk) => {
      const { finish, calls: made } = endOf(await talk.ask());
      expect([finish, made[0]?.arguments]).toEqual(["length", '{"path":"a']);
    });
  });

  test.each([
    ["max_output_tokens", "length"],
    ["content_filter", "content_filter"],
  ])("that is incomplete for %s ends with %s", async (finish, expected) => {
    await talkOver(gpt, [{ text: "x", finish }], async (talk) => {
      expect(endOf(await talk.ask()).finish).toBe(expected);
    });
  });

  test("a refusal is shown as text", async () => {
    const chunks = [
      { type: "response.refusal.delta", delta: "I cannot." },
      { type: "response.completed", response: { status: "completed", output: [] } },
    ];
    await talkOver(gpt, [{ chunks }], async (talk) => {
      expect(endOf(await talk.ask())).toMatchObject({ text: "I cannot.", finish: "stop" });
    });
  });

  test("that is cut off, or fails at the end, is requested again", async () => {
    await talkOver(
      gpt,
      [{ text: "Half", cut: 700 }, { text: "x", finish: "failed" }, { text: "All" }],
      async (talk) => {
        expect(endOf(await talk.ask()).text).toBe("All");
      },
    );
  });
});

describe("reasoning over Responses", () => {
  const mixed: ModelReply = {
    quirks: { phase: "commentary" },
    sequence: [
      { reasoning: "First." },
      { text: "I look." },
      { reasoning: "Then." },
      call("call_1"),
      call("call_2"),
    ],
  };

  test("is sent back encrypted, without an id, before what followed it, phases too", async () => {
    await talkOver(
      gpt,
      [mixed, { reasoning: "x", ...mixed, quirks: { hiddenThinking: true } }, { text: "Done." }],
      async (talk) => {
        await talk.ask();
        talk.messages = [...talk.messages, { role: "user", content: "go on" }];
        await talk.ask();
        expect(talk.refusals).toEqual([]);
        const { input, ...body } = talk.bodies()[1] as { input: { type?: string; role?: string }[] };
        expect(body).toMatchObject({
          store: false,
          include: ["reasoning.encrypted_content"],
          instructions: "be good",
        });
        expect(input.map(({ type, role }) => type ?? role)).toEqual([
          ...["user", "reasoning", "assistant", "reasoning", "function_call", "function_call"],
          ...["function_call_output", "function_call_output", "user"],
        ]);
        expect(input[2]).toEqual({ role: "assistant", content: "I look.", phase: "commentary" });
      },
    );
  });

  test("that can no longer be read is left out", async () => {
    await talkOver(gpt, [looks, { text: "ok" }], async (talk) => {
      await talk.ask();
      const spoilt = JSON.parse(JSON.stringify(talk.messages).replace('Let me look."}]', 'Let him look."}]'));
      await talk.ask({ messages: spoilt });
      await talk.ask({ messages: spoilt });
      expect(talk.refusals).toEqual([expect.stringContaining("could not be verified")]);
    });
  });

  test("with nothing after it is not sent", async () => {
    await talkOver(
      gpt,
      [{ sequence: [call("c1"), { reasoning: "And then" }], finish: "max_output_tokens" }, { text: "ok" }],
      async (talk) => {
        await talk.ask();
        await talk.ask();
        expect(talk.refusals).toEqual([]);
      },
    );
  });
});

describe("a request over Responses", () => {
  test("accepts every history and all settings", async () => {
    const settings = { reasoningEffort: "high", maxOutput: 5_000 };
    await talkOver({ ...gpt, settings }, [{ text: "ok" }], async (talk) => {
      const id = "x".repeat(90);
      const image = { kind: "image" as const, name: "a.png", mediaType: "image/png", data: "AAAA" };
      talk.messages = [
        { role: "assistant", content: "I begin." },
        { role: "user", content: "look", attachments: [image] },
        { role: "assistant", content: " ", toolCalls: [{ id, name: "fly to", arguments: "{broken" }] },
        { role: "tool", toolCallId: id, name: "fly to", ok: false, content: "" },
        { role: "assistant", content: "one" },
        { role: "assistant", content: "two" },
      ];
      await talk.ask();
      expect(talk.refusals).toEqual([]);
      expect(talk.bodies()[0]).toMatchObject({
        ...{ reasoning: { effort: "high", summary: "auto" }, max_output_tokens: 5_000 },
        input: expect.arrayContaining([
          {
            role: "user",
            content: [
              { type: "input_text", text: "look" },
              { type: "input_image", image_url: "data:image/png;base64,AAAA" },
            ],
          },
        ]),
      });
    });
  });

  test("omits what a model without reasoning, or an unverified organization, refuses", async () => {
    await talkOver(
      { wire: "responses", id: "gpt-4.1", settings: { reasoningEffort: "low" } },
      [{ text: "ok" }],
      async (talk) => {
        await talk.ask();
        await talk.ask();
        expect(talk.refusals).toHaveLength(3);
        expect(talk.bodies().at(-1)).not.toHaveProperty("include");
      },
    );
    await talkOver(
      { ...gpt, settings: { temperature: 1 }, rules: { unverified: true } },
      [{ text: "ok" }],
      async (talk) => {
        await talk.ask();
        expect(talk.refusals).toHaveLength(2);
      },
    );
  });

  test("is used for a model that chat completions do not serve", async () => {
    const words =
      "Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.";
    const refusal = { status: 400, body: { error: { message: words, param: "reasoning_effort" } } };
    await talkOver(
      { wire: "chat", id: "gpt-5.6-terra", settings: { wire: undefined } },
      [refusal, looks],
      async (talk) => {
        expect(endOf(await talk.ask()).reasoning).toBe("Let me look.");
        expect(talk.server.requests.map(({ wire }) => wire)).toEqual(["completions", "responses"]);
      },
    );
  });
});

describe("an error over Responses", () => {
  test.each<[string, object, object]>([
    [
      "of its own event",
      {
        type: "error",
        code: "context_length_exceeded",
        message: "Your input exceeds the context window of this model.",
      },
      { details: { reason: "context_length" } },
    ],
    [
      "in a response that failed",
      {
        type: "response.failed",
        response: {
          status: "failed",
          error: { code: "rate_limit_exceeded", message: "Please try again in 6.5s." },
        },
      },
      { code: "rate_limited", details: { retryAfterMs: 6_500 } },
    ],
    [
      "that passes",
      {
        type: "response.failed",
        response: {
          status: "failed",
          error: { code: "server_is_overloaded", message: "Our servers are currently overloaded." },
        },
      },
      { retryable: true },
    ],
    [
      "of a quota",
      { type: "error", error: { code: "insufficient_quota", message: "You exceeded your current quota." } },
      { retryable: false },
    ],
  ])("%s", async (_, chunk, expected) => {
    await talkOver(
      gpt,
      [{ chunks: [{ type: "response.created", response: { status: "in_progress" } }, chunk] }],
      async (talk) => {
        expect(await talk.ask({ maxRetries: 0 }).catch((error: unknown) => error)).toMatchObject(expected);
      },
    );
  });
});
