// Streams and refusals that users of other agents reported in 2025 and 2026. Each has a switch in the fake
// provider.
import { describe, expect, test } from "vitest";
import type { PromptMessage } from "../../../functions/model/prompt.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { completeWith, endOf } from "./complete-with.ts";

type Part = Record<string, unknown>;

const chunk = (delta: Part, finish: string | null = null, more: Part = {}): Part => ({
  id: "c1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason: finish, ...more }],
});
const piece = (index: number | undefined, id: string | undefined, name: unknown, args: unknown): Part => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id, type: "function" }),
  function: { ...(name === undefined ? {} : { name }), arguments: args },
});
const calls = (...tool_calls: Part[]) => chunk({ tool_calls });
const done = chunk({}, "tool_calls");
const read = (path: string) => `{"path": "${path}"}`;

async function said(chunks: unknown[], more: Partial<ModelReply> = {}) {
  const { events, server } = await completeWith([{ chunks, ...more }, { text: "asked again" }]);
  const { text, calls: made } = endOf(events);
  return {
    text,
    calls: made.map(({ name, arguments: args }) => `${name} ${args}`),
    requests: server.requests.length,
  };
}

const both = { text: "", calls: [`read_file ${read("a")}`, `read_file ${read("b")}`], requests: 1 };
const one = { text: "", calls: [`read_file ${read("a")}`], requests: 1 };

describe("streams", () => {
  test.each<[report: string, chunks: Part[], meant: object]>([
    [
      "Ollama gives every call index 0 (vercel/ai#14277, maximhq/bifrost#1961)",
      [calls(piece(0, "a", "read_file", read("a"))), calls(piece(0, "b", "read_file", read("b"))), done],
      both,
    ],
    [
      "the only call has index 1, after a text (cline/cline#13123, BerriAI/litellm#11580)",
      [chunk({ content: "I read." }), calls(piece(1, "a", "read_file", read("a"))), done],
      { ...one, text: "I read." },
    ],
    [
      "the second call begins at index 0, and its arguments go on at index 1 (agno-agi/agno#8880)",
      [
        calls(piece(0, "a", "read_file", read("a"))),
        calls(piece(0, "b", "read_file", "")),
        calls(piece(1, undefined, undefined, read("b"))),
        done,
      ],
      both,
    ],
    [
      "an id at one index and its arguments at another (danny-avila/LibreChat#13987)",
      [calls(piece(0, "a", "read_file", "")), calls(piece(1, undefined, undefined, read("a"))), done],
      one,
    ],
    [
      "no index, and ids that say what belongs together (AtomicBot-ai/atomic-agent#268)",
      [
        calls(piece(undefined, "a", "read_file", '{"path"'), piece(undefined, "b", "read_file", '{"path"')),
        calls(piece(undefined, "a", undefined, ': "a"}')),
        calls(piece(undefined, "b", undefined, ': "b"}')),
        done,
      ],
      both,
    ],
    [
      "the same call twice in one chunk, without an index (qxcnm/Codex-Manager#42)",
      [
        calls(piece(undefined, "a", "read_file", read("a")), piece(undefined, "a", "read_file", read("a"))),
        done,
      ],
      one,
    ],
    [
      'LiteLLM sends the name "null" with every piece of the arguments (karthink/gptel#935)',
      [
        calls(piece(0, "a", "read_file", "")),
        calls(piece(0, "a", "null", '{"path"')),
        calls(piece(0, "a", "null", ': "a"}')),
        done,
      ],
      one,
    ],
    [
      "names and arguments that are null",
      [calls(piece(0, "a", "read_file", null)), calls(piece(0, undefined, null, read("a"))), done],
      one,
    ],
    [
      "chunks whose choices are null or missing (neutree-ai/neutree#99, BerriAI/litellm#28735)",
      [
        { id: "c1", choices: null },
        calls(piece(0, "a", "read_file", read("a"))),
        { id: "c1", usage: { prompt_tokens: 5, completion_tokens: 2 } },
        done,
      ],
      one,
    ],
    [
      "calls that end with stop (BerriAI/litellm#35663, openvinotoolkit/model_server#3927)",
      [calls(piece(0, "a", "read_file", read("a"))), chunk({}, "stop")],
      one,
    ],
    [
      "calls that end with end_turn (BerriAI/litellm#12481)",
      [calls(piece(0, "a", "read_file", read("a"))), chunk({}, "end_turn")],
      one,
    ],
    [
      "empty brackets before the arguments (BerriAI/litellm#4537)",
      [calls(piece(0, "a", "read_file", "{}")), calls(piece(0, undefined, undefined, read("a"))), done],
      one,
    ],
    [
      "a call that arrives as plain text (BerriAI/litellm#35711)",
      [...'{"name": "read_file", "arguments": {"path": "a"}}']
        .map((content) => chunk({ content }))
        .concat(chunk({}, "stop")),
      { ...one, calls: ['read_file {"path":"a"}'] },
    ],
    [
      "an envelope of a call that is not closed (jundot/omlx#3153)",
      [
        chunk({ content: `<tool_call>\n{"name": "read_file", "arguments": ${read("a")}}` }),
        chunk({}, "stop"),
      ],
      { ...one, calls: ['read_file {"path":"a"}'] },
    ],
  ])("%s", async (_, chunks, meant) => {
    expect(await said(chunks)).toEqual(meant);
  });

  test("a call without id and name is refused by name, not passed on as an empty call (earendil-works/pi#4854)", async () => {
    const { events } = await completeWith([{ chunks: [calls(piece(0, "", "", read("a"))), done] }]);
    expect(endOf(events).calls.map(({ name }) => name)).toEqual(["unknown"]);
  });

  test.each<[report: string, chunks: Part[]]>([
    ["error as the finish (earendil-works/pi#9002)", [chunk({ content: "I" }), chunk({}, "error")]],
    [
      "network_error as the native finish of an empty answer (OleksandrChekhovskyi/hax#15)",
      [chunk({ content: "" }, "stop", { native_finish_reason: "network_error" })],
    ],
    [
      "an error beside empty choices (diegosouzapw/OmniRoute#8210)",
      [
        {
          id: "c1",
          choices: [],
          error: { code: 502, message: "Worker local total request limit reached (33/32)" },
        },
      ],
    ],
    [
      "Google's malformed call (mastra-ai/mastra#20302)",
      [chunk({}, "error", { native_finish_reason: "MALFORMED_FUNCTION_CALL" })],
    ],
  ])("is requested again: %s", async (_, chunks) => {
    expect(await said(chunks)).toEqual({ text: "asked again", calls: [], requests: 2 });
  });

  test("a prompt that is too long is reported once, also inside a stream (dcdpr/jp#978)", async () => {
    const message = "prompt is too long: 1284668 tokens > 1000000 maximum";
    const failed = completeWith([{ chunks: [{ id: "c1", choices: [], error: { code: 400, message } }] }]);
    await expect(failed).rejects.toMatchObject({ details: { reason: "context_length" } });
  });
});

const history: PromptMessage[] = [
  { role: "system", content: "s" },
  { role: "user", content: "read a" },
  { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "read_file", arguments: read("a") }] },
  { role: "tool", name: "read_file", toolCallId: "c1", ok: true, content: "1|a" },
];

describe("requests", () => {
  test("calls without text are sent back without an empty text: Gemini, Ollama, GLM and MiniMax refuse one (odysseus-dev/odysseus#837, earendil-works/pi#3365)", async () => {
    const { server } = await completeWith([{ text: "ok" }], { messages: history });
    const [sent] = server.requests[0]?.body.messages.filter(({ role }) => role === "assistant") ?? [];
    expect(sent?.content ?? null).toBeNull();
  });

  test("llama.cpp cannot make a grammar of the tools: calls are written as text (ggml-org/llama.cpp#25895)", async () => {
    const message = "Failed to initialize samplers: failed to parse grammar";
    const refusal = { status: 400, body: { error: { code: 400, message, type: "invalid_request_error" } } };
    const { server } = await completeWith([refusal, { text: "ok" }]);
    expect(server.requests.map(({ body }) => "tools" in body)).toEqual([true, false]);
  });

  test("Kimi misses the reasoning of a call, inside OpenRouter's raw message (anomalyco/opencode#13607)", async () => {
    const raw = JSON.stringify({
      error: {
        message:
          "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
        type: "invalid_request_error",
      },
    });
    const refusal = {
      status: 400,
      body: { error: { message: "Provider returned error", code: 400, metadata: { raw } } },
    };
    const { server } = await completeWith([refusal, { text: "ok" }], { messages: history });
    const [, second] = server.requests.map(({ body }) =>
      body.messages.find(({ role }) => role === "assistant"),
    );
    expect(second).toHaveProperty("reasoning_content");
  });
});
