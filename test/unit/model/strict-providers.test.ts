// Providers that refuse what their rules forbid, and streams that break the rules, as users of other agents
// reported in 2025 and 2026. Each is played over HTTP, and the number of requests shows the cost.
import { describe, expect, test } from "vitest";
import { streamCompletion } from "../../../functions/model/complete.ts";
import type { PromptMessage } from "../../../functions/model/prompt.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { type RequestBody, startModelServer } from "../../fakes/model-server.ts";
import { collect, endOf, patientDeps, requestTo } from "./complete-with.ts";

type Sent = RequestBody["messages"][number];
type Rule = (messages: readonly Sent[], body: RequestBody) => ModelReply | undefined;

const refusal = (status: number, error: unknown): ModelReply => ({ status, body: { error } });
const has = (message: Sent, field: string) => field in message;
const callers = (messages: readonly Sent[]) => messages.filter(({ tool_calls: calls }) => calls?.length);

const thought = { text: "hm", model: "m1", field: "reasoning_content" } as const;
const conversation: PromptMessage[] = [
  { role: "system", content: "s" },
  { role: "user", content: "read a" },
  { role: "user", content: "<event>a notice</event>" },
  {
    ...{ role: "assistant", content: "I read.", thought },
    toolCalls: [{ id: "c1", name: "read_file", arguments: '{"path": "a"}' }],
  },
  { role: "tool", name: "read_file", toolCallId: "c1", ok: true, content: "1|a" },
  { role: "user", content: "and b" },
];

/** The requests that a strict provider received until it answered, and the answer. */
async function asked(rule: Rule, reply: ModelReply = { text: "ok" }) {
  const server = await startModelServer((body) => rule(body.messages, body) ?? reply);
  try {
    const request = requestTo(server.url, { messages: conversation, conversationId: "talk" });
    const end = endOf(await collect(streamCompletion(patientDeps, request)));
    const calls = end.calls.map(({ name, arguments: args }) => `${name} ${args}`);
    return { requests: server.requests.length, text: end.text, calls };
  } finally {
    await server.close();
  }
}

const answered = { text: "ok", calls: [] };

describe("a provider's rule is met", () => {
  test.each<[report: string, rule: Rule, refusals?: number]>([
    [
      "roles alternate, except for calls and results: llama.cpp, Ollama (mistralai/mistral-vibe#1006, SWE-agent/mini-swe-agent#759)",
      (messages) => {
        const turns = messages.filter(
          ({ role, tool_calls: calls }) => role === "user" || (role === "assistant" && !calls?.length),
        );
        const message =
          "\n------------\nWhile executing CallExpression at line 189, column 32 in source:\nError: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.";
        return turns.every(({ role }, index) => (role === "user") === (index % 2 === 0))
          ? undefined
          : refusal(500, { code: 500, message, type: "server_error" });
      },
      2,
    ],
    [
      "roles alternate, whatever they are: Gemma's template (idiap/sdialog#122)",
      (messages) => {
        const turns = messages.filter(({ role }) => role !== "system" && role !== "tool");
        const message =
          "Error: Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...";
        return turns.every(({ role }, index) => (role === "user") === (index % 2 === 0))
          ? undefined
          : refusal(500, { code: 500, message, type: "server_error" });
      },
    ],
    [
      "words and thoughts not both beside a call: gpt-oss in LM Studio (lmstudio-ai/lmstudio-bug-tracker#842)",
      (messages) =>
        callers(messages).some((message) => message.content && has(message, "reasoning_content"))
          ? refusal(
              400,
              'Error rendering prompt with jinja template: "Cannot pass both content and thinking in an assistant message with tool calls! Put the analysis message in one or the other, but not both.".',
            )
          : undefined,
    ],
    [
      "no field of reasoning: Mistral",
      (messages) =>
        messages.some((message) => has(message, "reasoning_content"))
          ? {
              ...{ status: 422 },
              body: {
                detail: [
                  {
                    ...{
                      type: "extra_forbidden",
                      loc: ["body", "messages", 3, "assistant", "reasoning_content"],
                    },
                    msg: "Extra inputs are not permitted",
                  },
                ],
              },
            }
          : undefined,
    ],
  ])("%s", async (_, rule, refusals = 1) => {
    expect(await asked(rule)).toEqual({ requests: 1 + refusals, ...answered });
  });
});

describe("missing reasoning beside a call gets a placeholder", () => {
  const missing =
    (error: unknown, status = 400): Rule =>
    (messages) =>
      callers(messages).every((message) => has(message, "reasoning_content"))
        ? undefined
        : refusal(status, error);
  const foreign = conversation.map((message): PromptMessage => {
    if (message.role !== "assistant") return message;
    const { thought: _, ...rest } = message;
    return rest;
  });

  test.each<[report: string, rule: Rule]>([
    [
      "MiMo says so in `param` alone (earendil-works/pi#4504)",
      missing({
        ...{ code: "400", message: "Param Incorrect", type: "" },
        param: "The reasoning_content in the thinking mode must be passed back to the API.",
      }),
    ],
    [
      "DeepSeek by way of LiteLLM (esengine/DeepSeek-Reasonix#6173)",
      missing({
        message:
          "litellm.BadRequestError: OpenAIException - messages[51]: assistant message with tool_calls must include reasoning_content. Received Model Group=deepseek-v4-pro",
        code: "400",
      }),
    ],
    [
      "DeepSeek by way of a relay (esengine/DeepSeek-Reasonix#7748)",
      missing({
        ...{ type: "invalid_request_error", code: "invalid_request_error", param: null },
        message:
          "Error from provider (Console): Upstream request failed: [invalid_request_error] The `reasoning_content` in the thinking mode must be passed back to the API.",
      }),
    ],
    [
      "Kimi (continuedev/continue#11527)",
      missing({
        message:
          "thinking is enabled but reasoning_content is missing in assistant tool call message at index 7",
      }),
    ],
  ])("%s", async (_, rule) => {
    const server = await startModelServer((body) => rule(body.messages, body) ?? { text: "ok" });
    try {
      const request = requestTo(server.url, { messages: foreign });
      expect(endOf(await collect(streamCompletion(patientDeps, request))).text).toBe("ok");
      expect(server.requests).toHaveLength(2);
    } finally {
      await server.close();
    }
  });
});

describe("a call that a server could not read is requested again, with its text", () => {
  test.each<[report: string, words: string]>([
    [
      "an array's bracket after the object (ollama/ollama#17638)",
      `error parsing tool call: raw='{"path":"a.js"}]', err=`,
    ],
    [
      "a bare command (continuedev/continue#10221)",
      "error parsing tool call: raw='ls -R\n', err=invalid character 'l' looking for beginning of value",
    ],
  ])("%s", async (_, words) => {
    const server = await startModelServer([refusal(500, words), { text: "ok" }]);
    try {
      expect(endOf(await collect(streamCompletion(patientDeps, requestTo(server.url)))).text).toBe("ok");
      expect(server.requests).toHaveLength(2);
      expect(server.requests[1]?.body.messages.at(-1)).toMatchObject({
        role: "user",
        content: expect.stringContaining(/raw='([\s\S]*?)', err=/.exec(words)?.[1] ?? "?"),
      });
    } finally {
      await server.close();
    }
  });
});

describe("a refusal that no other request would change is reported once", () => {
  test.each<[report: string, error: ModelReply, words: RegExp]>([
    [
      "DeepSeek's moderation (esengine/DeepSeek-Reasonix#6321)",
      refusal(400, { message: "Content Exists Risk", type: "invalid_request_error" }),
      /Content Exists Risk/,
    ],
    [
      "no token left for an answer: vLLM (vllm-project/vllm#4667)",
      refusal(400, { object: "error", message: "max_tokens must be at least 1, got -186.", code: 400 }),
      /longer than m1 takes/,
    ],
    [
      "prompt and answer together: DeepSeek (evalstate/fast-agent#621)",
      refusal(400, {
        message:
          "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
        code: "invalid_request_error",
      }),
      /longer than m1 takes/,
    ],
  ])("%s", async (_, error, words) => {
    const server = await startModelServer([error]);
    try {
      const stream = collect(streamCompletion(patientDeps, requestTo(server.url)));
      await expect(stream).rejects.toThrow(words);
      expect(server.requests).toHaveLength(1);
    } finally {
      await server.close();
    }
  });
});

describe("streams", () => {
  const chunk = (delta: unknown, finish: string | null = null, more = {}) => ({
    ...{ id: "c1", object: "chat.completion.chunk" },
    choices: [{ index: 0, delta, finish_reason: finish, ...more }],
  });
  const call = (name: string, args: string) => ({
    tool_calls: [{ index: 0, id: "a", type: "function", function: { name, arguments: args } }],
  });
  const read = 'read_file {"path": "a"}';

  test.each<[report: string, chunks: unknown[], meant: object]>([
    [
      "no finish after a whole call: GLM at NVIDIA (earendil-works/pi#6226)",
      [chunk(call("read_file", '{"path": "a"}'))],
      { text: "", calls: [read] },
    ],
    [
      "an empty finish on every chunk: SGLang (sgl-project/sglang#3912)",
      [
        chunk({ role: null, content: "o", tool_calls: null }, "", { logprobs: null, matched_stop: null }),
        chunk({ content: "k" }, ""),
        chunk({ content: "" }, "stop"),
      ],
      { text: "ok", calls: [] },
    ],
    [
      "`tool_call` as the finish: mlx-lm (ml-explore/mlx-lm#782)",
      [chunk(call("read_file", '{"path": "a"}')), chunk({}, "tool_call")],
      { text: "", calls: [read] },
    ],
    [
      "a call without arguments has none (vercel/ai#6687)",
      [chunk(call("get_plan", "")), chunk({}, "tool_calls")],
      { text: "", calls: ["get_plan {}"] },
    ],
  ])("%s", async (_, chunks, meant) => {
    expect(await asked(() => undefined, { chunks })).toEqual({ requests: 1, ...meant });
  });
});
