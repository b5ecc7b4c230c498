// Reasoning in Anthropic's Messages API: how it is requested and how it is sent back.
import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { type Model, talkOver } from "./over-wire.ts";

const opus: Model = { wire: "messages", id: "claude-opus-4-8" };
const call = (id: string) => ({ call: { id, name: "read_file", args: { path: "a.txt" } } });
const looks: ModelReply = {
  reasoning: "Let me look.",
  text: "Looking.",
  calls: [{ name: "read_file", args: { path: "ä" } }],
};

/** Reasoning, text and calls one after another, twice. */
const mixed: ModelReply = {
  sequence: [
    { reasoning: "First." },
    { text: "I look.\n\n" },
    { reasoning: "" },
    call("toolu_1"),
    { reasoning: "Then." },
    { text: "And there." },
    call("toolu_2"),
  ],
};

describe("reasoning over Messages", () => {
  test("is sent back unmodified, in its place among text and calls", async () => {
    await talkOver(
      opus,
      [
        mixed,
        { ...mixed, quirks: { hiddenThinking: true }, sequence: [{ reasoning: "" }, call("t3")] },
        { text: "Done." },
      ],
      async (talk) => {
        await talk.ask();
        await talk.ask();
        await talk.ask();
        expect(talk.refusals).toEqual([]);
        const { messages } = talk.bodies()[2] as { messages: { content: { type: string }[] }[] };
        expect(messages[1]?.content.map(({ type }) => type)).toEqual([
          ...["thinking", "text", "redacted_thinking", "tool_use", "thinking", "text", "tool_use"],
        ]);
      },
    );
  });

  test("of another kind is not sent back", async () => {
    await talkOver(opus, [{ text: "ok" }], async (talk) => {
      talk.messages = [
        ...talk.messages,
        {
          ...{ role: "assistant", content: "", toolCalls: [{ id: "c", name: "read_file", arguments: "{}" }] },
          thought: {
            ...{ text: "hm", field: "reasoning_content" },
            details: [
              { type: "reasoning.text", text: "hm" },
              { type: "said", chars: 0 },
              { type: "reasoning", encrypted_content: "x" },
            ],
          },
        },
        { role: "tool", toolCallId: "c", name: "read_file", ok: true, content: "" },
      ];
      await talk.ask();
      expect(talk.refusals).toEqual([]);
    });
  });

  test("whose signature is refused is left out of this conversation and of no other", async () => {
    await talkOver(opus, [looks, { text: "ok" }], async (talk) => {
      await talk.ask();
      const spoilt = JSON.parse(JSON.stringify(talk.messages).replaceAll("Let me look.", "Let him look."));
      await talk.ask({ messages: spoilt });
      await talk.ask({ messages: spoilt });
      expect(talk.refusals).toEqual(["messages.1.content.0: Invalid `signature` in `thinking` block"]);
      await talk.ask({ messages: spoilt, conversationId: "c2" });
      expect(talk.refusals).toHaveLength(2);
    });
  });
});

describe("thinking", () => {
  const thinkingOf = async (model: Model, foreign = false) => {
    let sent: Record<string, unknown> = {};
    await talkOver(model, [{ text: "ok" }], async (talk) => {
      if (foreign)
        talk.messages = [
          ...talk.messages,
          { role: "assistant", content: "", toolCalls: [{ id: "c", name: "read_file", arguments: "{}" }] },
          { role: "tool", toolCallId: "c", name: "read_file", ok: false, content: " " },
        ];
      await talk.ask();
      expect(talk.refusals).toEqual([]);
      sent = talk.bodies().at(-1) ?? {};
    });
    return {
      ...(sent.thinking ? { thinking: sent.thinking } : {}),
      ...(sent.output_config ? { effort: sent.output_config } : {}),
    };
  };
  const adaptive = { type: "adaptive", display: "summarized" };

  test.each<[string, string | undefined, object]>([
    ["claude-opus-4-8", undefined, { thinking: adaptive }],
    ["claude-sonnet-5", "xhigh", { thinking: adaptive, effort: { effort: "xhigh" } }],
    ["claude-fable-5", "low", { thinking: adaptive, effort: { effort: "low" } }],
    ["claude-opus-4-6", undefined, { thinking: { type: "adaptive" } }],
    ["claude-opus-4-8", "none", {}],
    ["claude-haiku-4-5", undefined, {}],
    ["claude-haiku-4-5-20251001", "low", { thinking: { type: "enabled", budget_tokens: 2_048 } }],
    ["claude-haiku-4-5", "5000", { thinking: { type: "enabled", budget_tokens: 5_000 } }],
    ["claude-haiku-4-5", "max", { thinking: { type: "enabled", budget_tokens: 6_976 } }],
    ["kimi-k3", undefined, {}],
  ])("of %s with the effort %s", async (id, reasoningEffort, expected) => {
    const settings = { temperature: null, ...(reasoningEffort ? { reasoningEffort } : {}) };
    expect(await thinkingOf({ wire: "messages", id, settings })).toEqual(expected);
  });

  test("with a budget is not requested where calls of another model are answered, and there is no temperature with it", async () => {
    const model: Model = { wire: "messages", id: "claude-haiku-4-5", settings: { reasoningEffort: "high" } };
    expect(await thinkingOf(model)).toMatchObject({ thinking: { type: "enabled" } });
    expect(await thinkingOf(model, true)).toEqual({});
    expect(
      await thinkingOf({ ...model, settings: { reasoningEffort: "low", temperature: 0.1 } }),
    ).toMatchObject({
      thinking: { type: "enabled" },
    });
  });

  test("that a model does not support is learned once", async () => {
    const sent = async (model: Model, replies: ModelReply[]) => {
      let kinds: unknown[] = [];
      await talkOver(model, replies, async (talk) => {
        await talk.ask();
        await talk.ask();
        kinds = talk.bodies().map(({ thinking }) => (thinking as { type?: string } | undefined)?.type);
      });
      return kinds;
    };
    const message = "adaptive thinking is not supported on this model";
    const refusal = {
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error", message } },
    };
    const unknown: Model = { wire: "messages", id: "claude-haiku-4-6" };
    expect(await sent(unknown, [refusal, { text: "ok" }])).toEqual(["adaptive", undefined, undefined]);
    const next = {
      wire: "messages" as const,
      id: "claude-next-5",
      settings: { reasoningEffort: "low", temperature: null },
    };
    expect(await sent(next, [{ text: "ok" }])).toEqual(["enabled", "adaptive", "adaptive"]);
  });
});
