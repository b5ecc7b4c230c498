// Deviations of servers other than Anthropic's and OpenAI's in these two APIs, from the issues of other
// agents. Each has a switch in the fake provider.
import { describe, expect, test } from "vitest";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { endOf } from "./complete-with.ts";
import { type Model, talkOver } from "./over-wire.ts";

const kimi: Model = { wire: "messages", id: "kimi-k3" };
const local: Model = { wire: "responses", id: "glm-4.7-flash" };

/** The end of an answer that consists of these chunks, played unchanged. */
async function answered(model: Model, chunks: object[], more: Partial<ModelReply> = {}) {
  let said: unknown;
  let usage: unknown;
  await talkOver(model, [{ chunks, ...more }], async (talk) => {
    const events = await talk.ask({ maxRetries: 0 });
    const { text, finish, calls, reasoning } = endOf(events);
    said = { text, finish, reasoning, calls: calls.map(({ name, arguments: args }) => `${name} ${args}`) };
    usage = events.find(({ type }) => type === "usage");
  });
  return { said, usage };
}

const start = (index: number, content_block: object) => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, more: object) => ({ type: "content_block_delta", index, delta: more });
const stop = (index: number) => ({ type: "content_block_stop", index });
const end = (stop_reason: string, usage = {}) => [
  { type: "message_delta", delta: { stop_reason }, usage },
  { type: "message_stop" },
];
const tool = { type: "tool_use", id: "t1", name: "read_file", input: {} };
const json = (partial_json: string) => ({ type: "input_json_delta", partial_json });
const read = 'read_file {"path":"a"}';

describe("Messages of other servers", () => {
  test.each<[string, object[], object]>([
    [
      "a call that ends its turn with end_turn is made: maximhq/bifrost#6123 (2026-08)",
      [start(0, tool), delta(0, json('{"path":"a"}')), stop(0), ...end("end_turn")],
      { calls: [read], finish: "tool_calls" },
    ],
    [
      "text inside the block of a call is text: sgl-project/sglang#24293 (2026-05)",
      [
        start(0, tool),
        delta(0, json('{"path":')),
        delta(0, { type: "text_delta", text: "Hm." }),
        delta(0, json('"a"}')),
        stop(0),
        ...end("tool_use"),
      ],
      { text: "Hm.", calls: [read] },
    ],
    [
      "the whole input at the beginning of its block counts: yannikzz/narracat-novel-agent#16 (2026-08)",
      [start(0, { ...tool, input: { path: "a" } }), delta(0, json("")), stop(0), ...end("tool_use")],
      { calls: [read] },
    ],
    [
      "blocks that nobody ends end with the next one",
      [
        start(0, { type: "thinking", thinking: "Hm." }),
        start(1, { ...tool, input: { path: "a" } }),
        ...end("tool_use"),
      ],
      { reasoning: "Hm.", calls: [read] },
    ],
    [
      "blocks without an index",
      [
        { type: "content_block_start", content_block: tool },
        { type: "content_block_delta", delta: json('{"path":"a"}') },
        { type: "content_block_stop" },
        ...end("tool_use"),
      ],
      { calls: [read] },
    ],
    [
      "text that is there at once, and no message_stop: lidge-jun/opencodex#658 (2026-08)",
      [start(0, { type: "text", text: "All of it." }), stop(0), ...end("end_turn").slice(0, 1)],
      { text: "All of it.", finish: "stop" },
    ],
    [
      "blocks and events that nobody knows are passed over",
      [
        start(0, { type: "server_tool_use", id: "s" }),
        delta(0, json("{")),
        stop(0),
        { type: "vertex_event" },
        start(1, { type: "text" }),
        delta(1, { type: "citations_delta" }),
        delta(1, { type: "text_delta", text: "ok" }),
        stop(1),
        ...end("end_turn"),
      ],
      { text: "ok", calls: [] },
    ],
  ])("%s", async (_, chunks, expected) => {
    expect((await answered(kimi, chunks)).said).toMatchObject(expected);
  });

  test("tokens may be counted at the start, at the end, or both", async () => {
    const text = [start(0, { type: "text", text: "ok" }), stop(0)];
    const counted = { type: "usage", inputTokens: 1_000, outputTokens: 7, cachedTokens: 900 };
    const all = { input_tokens: 100, cache_read_input_tokens: 900, output_tokens: 7 };
    const begins = (usage: object | null) => ({ type: "message_start", message: { usage } });
    for (const [first, last] of [
      [null, all],
      [{ input_tokens: 0, output_tokens: 0 }, all],
      [{ ...all, output_tokens: 1 }, { output_tokens: 7 }],
      [
        { ...all, output_tokens: 1 },
        { input_tokens: null, cache_read_input_tokens: null, output_tokens: 7 },
      ],
    ] as const)
      expect((await answered(kimi, [begins(first), ...text, ...end("end_turn", last)])).usage).toEqual(
        counted,
      );
  });

  test("reasoning without a signature is sent back unchanged: DeepSeek and Kimi expect that", async () => {
    const chunks = [
      start(0, { type: "thinking", thinking: "Hm.", signature: "" }),
      stop(0),
      start(1, tool),
      stop(1),
      ...end("tool_use"),
    ];
    await talkOver(kimi, [{ chunks }], async (talk) => {
      await talk.ask();
      // This server accepts only Anthropic's form and refuses the field, so the request is repeated without
      // it.
      await talk.ask();
      const [sent, again] = talk
        .bodies()
        .slice(1)
        .map((body) => JSON.stringify(body));
      expect(sent).toContain('{"type":"thinking","thinking":"Hm.","signature":""}');
      expect(again).not.toContain("Hm.");
    });
  });

  test("an error with the status 200 is an error", async () => {
    const body = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    await talkOver(kimi, [{ body }, { text: "ok" }], async (talk) => {
      expect(endOf(await talk.ask()).text).toBe("ok");
    });
  });

  test("cache points that a gateway refuses are omitted", async () => {
    const message = "system.0.cache_control: Extra inputs are not permitted";
    await talkOver(
      kimi,
      [
        { status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } },
        { text: "ok" },
      ],
      async (talk) => {
        await talk.ask();
        expect(talk.bodies().map((body) => JSON.stringify(body).includes("cache_control"))).toEqual([
          true,
          false,
        ]);
      },
    );
  });
});

const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "read_file", arguments: "" };
const args = '{"path":"a"}';
const done = (output: object[] = [], more = {}) => ({
  type: "response.completed",
  response: { status: "completed", output, ...more },
});
const item = (kind: "added" | "done", of: object, output_index: number | undefined = 0) => ({
  type: `response.output_item.${kind}`,
  output_index,
  item: of,
});
const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes." }] };

describe("Responses of other servers", () => {
  test.each<[string, object[], object]>([
    [
      "arguments that come at their end alone: earendil-works/pi#917 (2026-01)",
      [
        item("added", call),
        { type: "response.function_call_arguments.done", output_index: 0, arguments: args },
        item("done", { ...call, arguments: "{}" }),
        done(),
      ],
      { calls: [read], finish: "tool_calls" },
    ],
    [
      "no end of an item, and an output that has lost the call: sgl-project/sglang#12652 (2025-11)",
      [
        item("added", call),
        { type: "response.function_call_arguments.delta", output_index: 0, delta: args },
        { type: "response.function_call_arguments.done", output_index: 0, arguments: args },
        done([{ ...message, content: [] }]),
      ],
      { calls: [read], text: "" },
    ],
    [
      "an item that has no beginning",
      [item("done", { ...call, arguments: args }), done()],
      { calls: [read] },
    ],
    [
      "nothing but the output",
      [done([message, { ...call, arguments: args }])],
      { text: "Yes.", calls: [read] },
    ],
    [
      "a text that no piece came of",
      [item("done", { type: "reasoning", summary: [] }), item("done", message, 1), done()],
      { text: "Yes." },
    ],
    [
      "a text after reasoning in the open",
      [
        { type: "response.reasoning_text.delta", output_index: 0, delta: "Hm." },
        item("done", message, 1),
        done([message]),
      ],
      { text: "Yes.", reasoning: "Hm." },
    ],
    [
      "items without an index",
      [
        { type: "response.output_item.added", item: call },
        { type: "response.function_call_arguments.delta", delta: args },
        { type: "response.output_item.done", item: { ...call, arguments: args } },
        done(),
      ],
      { calls: [read] },
    ],
    [
      "a call without a call_id",
      [item("done", { ...call, call_id: undefined, arguments: args }), done()],
      { calls: [read] },
    ],
  ])("%s", async (_, chunks, expected) => {
    expect((await answered(local, chunks)).said).toMatchObject(expected);
  });

  test("a field that a server does not know is omitted", async () => {
    const error = { message: "Unknown parameter: 'include'.", param: "include" };
    await talkOver(
      { ...local, id: "gpt-5.4" },
      [{ status: 400, body: { error } }, { text: "ok" }],
      async (talk) => {
        await talk.ask();
        expect(talk.bodies().at(-1)).not.toHaveProperty("include");
      },
    );
  });
});
