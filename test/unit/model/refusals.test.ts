// Providers' own error messages: some refuse a part of the request, some the length of the prompt, and some
// are final.
import { describe, expect, test } from "vitest";
import type { ModelEvent } from "../../../functions/model/model-event.ts";
import type { PromptMessage } from "../../../functions/model/prompt.ts";
import type { HandrailError } from "../../../shared/errors.ts";
import { completeWith, endOf } from "./complete-with.ts";

interface Refusal {
  status: number;
  message: string;
  code?: string;
}

const replyOf = ({ status, ...error }: Refusal) => ({ status, body: { error } });

async function failure(refusal: Refusal, overrides = {}): Promise<HandrailError> {
  return completeWith([replyOf(refusal)], { maxRetries: 0, ...overrides }).then(
    () => {
      throw new Error("it did not fail");
    },
    (error: HandrailError) => error,
  );
}

const refused = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === "refused" ? event.part : []));

describe("native tools", () => {
  test.each([
    [400, "registry.ollama.ai/library/gemma:2b does not support tools"],
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    [404, "No endpoints found that support tool use. To learn more, see the docs."],
    [404, "No endpoints found that support the provided 'tool_choice' value."],
    [500, "tools param requires --jinja flag"],
    [500, "Internal server error: Unsupported tool_call_parser: None"],
    [400, "Unknown parameter: 'tools'."],
    [400, "Unrecognized request argument supplied: tools"],
    [400, "Unsupported parameter: 'tool_choice' is not supported with this model."],
    [400, 'Invalid JSON payload received. Unknown name "tools": Cannot find field.'],
    [500, "generate() got an unexpected keyword argument 'tools'"],
    [400, "Additional properties are not allowed ('tools' was unexpected)"],
    [422, "tools: Extra inputs are not permitted"],
    [422, '[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted"}]'],
    [400, "Function calling is not enabled for models/gemma-3-27b-it"],
    [400, "Function calling is not enabled for this model"],
    [405, "Tool calling is not supported for model: mistralai/Mistral-Small-24B-Instruct-2501"],
    [400, "`tool calling` is not supported with this model"],
    [400, "tools is not supported in this model. For a list of supported models, refer to the guide."],
    [400, "Tool use with function calling is unsupported"],
    [400, "Functions are not supported for this API version or this model version."],
    [400, "deepseek-reasoner does not support Function Calling"],
    [400, "This model doesn't support tool use in streaming mode."],
    [400, "This model only supports single tool-calls at once!"],
  ])("are given up after %i: %s", async (status, message) => {
    const { events, server } = await completeWith([replyOf({ status, message }), { text: "ok" }]);
    expect(refused(events)).toEqual(["tools"]);
    expect(server.requests.map(({ body }) => "tools" in body)).toEqual([true, false]);
  });

  test.each([
    [500, `error parsing tool call: raw='{"path":', err=unexpected end of JSON input`],
    [502, "Unexpected error in tool server"],
    [503, "Required tool backend is not available"],
  ])("stay after a failed attempt with %i: %s", async (status, message) => {
    const { events, server } = await completeWith([replyOf({ status, message }), { text: "ok" }]);
    expect(refused(events)).toEqual([]);
    expect(server.requests.map(({ body }) => "tools" in body)).toEqual([true, true]);
  });

  test.each([
    "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after; each requires one",
    "Invalid type for 'messages[1].tool_calls[0].function.arguments': unexpected null",
    "tool call validation failed: attempted to call tool 'foo' which was not in request.tools",
    "Unknown parameter: 'messages[1].tool_calls'.",
  ])("stay when the request is wrong: %s", async (message) => {
    const outcome = completeWith([replyOf({ status: 400, message }), { text: "ok" }]);
    await expect(outcome).rejects.toThrow("answered 400");
  });

  test("stay when a model named after them does not exist", async () => {
    const { message } = await failure({ status: 404, message: "The model `tools-pro` is not available" });
    expect(message).toContain("HANDRAIL_MODEL");
  });
});

describe("a prompt that is too long", () => {
  test.each([
    [400, "Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)"],
    [400, "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"],
    [400, "Prompt exceeds max length"],
    [
      422,
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
    ],
    [400, "Input length 9000 exceeds maximum allowed token size of 8192"],
    [400, "The number of tokens in the prompt is greater than the token limit"],
  ])("is recognized with %i: %s", async (status, message) => {
    expect((await failure({ status, message })).details).toMatchObject({ reason: "context_length" });
  });

  test("is different from a limit of tokens a minute", async () => {
    const error = await failure({ status: 429, message: "Requests exceed the token limit per minute" });
    expect(error.code).toBe("rate_limited");
  });
});

describe("temperature", () => {
  test.each([
    "invalid temperature: only 1 is allowed for this model",
    "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
  ])("is omitted after: %s", async (message) => {
    const { server } = await completeWith([replyOf({ status: 400, message }), { text: "ok" }]);
    expect(server.requests.map(({ body }) => "temperature" in body)).toEqual([true, false]);
  });
});

describe("error details", () => {
  const withTool: PromptMessage[] = [
    { role: "user", content: "look" },
    {
      role: "assistant",
      content: " \n",
      toolCalls: [{ id: "call.a", name: "read_file", arguments: "{}" }],
    },
    { role: "tool", toolCallId: "call.a", name: "read_file", ok: true, content: "one" },
    { role: "user", content: "and?" },
  ];
  const refusedOnce = async (refusal: Refusal | { status: number; body: unknown }) => {
    const reply = "body" in refusal ? refusal : replyOf(refusal);
    const { server } = await completeWith([reply, { text: "ok" }], { messages: withTool });
    expect(server.requests).toHaveLength(2);
    return server.requests.map(({ body }) => body.messages);
  };

  test("OpenRouter's raw message counts as the error's own", async () => {
    const raw = JSON.stringify({ error: { message: "This model does not support tools" } });
    const body = { error: { code: 400, message: "Provider returned error", metadata: { raw } } };
    const { events } = await completeWith([{ status: 400, body }, { text: "ok" }]);
    expect(refused(events)).toEqual(["tools"]);
    const plain = { error: { code: 400, message: "Provider returned error", metadata: { raw: "too hot" } } };
    await expect(completeWith([{ status: 400, body: plain }])).rejects.toThrow(
      "Provider returned error: too hot",
    );
  });

  test.each([
    "Tool call id was call.a but must be a-z, A-Z, 0-9, with a length of 9.",
    "messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  ])("ids of calls become nine letters and digits after: %s", async (message) => {
    const [first, second] = await refusedOnce({ status: 400, message });
    expect(first?.[2]?.tool_call_id).toBe("call.a");
    expect(second?.[2]?.tool_call_id).toMatch(/^[a-z0-9]{9}$/);
    expect(second?.[1]?.tool_calls?.[0]?.id).toBe(second?.[2]?.tool_call_id);
  });

  test("a user message after a result gets an answer between them where that is refused", async () => {
    const [first, second] = await refusedOnce({
      status: 400,
      message: "Unexpected role 'user' after role 'tool'",
    });
    const roles = (messages: typeof first) => messages?.map(({ role }) => role);
    expect(roles(first)).toEqual(["user", "assistant", "tool", "user"]);
    expect(roles(second)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
  });

  test("a whitespace answer has no content beside its calls", async () => {
    const [first] = await refusedOnce({ status: 503, message: "busy" });
    expect(first?.[1]?.content).toBeNull();
  });

  test.each(["status", "stream"])(
    "a call that Groq could not read is requested again, with its text: %s",
    async (where) => {
      const error = {
        message:
          "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
        type: "invalid_request_error",
        code: "tool_use_failed",
        failed_generation: '<function=read_file {"path": a.js}>',
      };
      const reply = where === "status" ? { status: 400, body: { error } } : { chunks: [{ error }] };
      const { server, events } = await completeWith([reply, { text: "ok" }]);
      expect(endOf(events).text).toBe("ok");
      expect(server.requests[1]?.body.messages.at(-1)).toMatchObject({
        role: "user",
        content: expect.stringContaining('<function=read_file {"path": a.js}>'),
      });
      expect(server.requests[1]?.body.tools).toBeDefined();
    },
  );

  test("a request larger than the tokens per minute is too long, whatever its status", async () => {
    const message =
      "Request too large for model `openai/gpt-oss-120b` on tokens per minute (TPM): Limit 8000, Requested 10234, please reduce your message size and try again.";
    const error = await failure({ status: 429, message, code: "rate_limit_exceeded" }, { maxRetries: 2 });
    expect(error.details).toMatchObject({ reason: "context_length" });
    expect(error.message).toContain("Limit 8000");
  });
});

describe("the person's own key", () => {
  const apiKey = "my-own-secret";
  test.each([
    [401, "did not accept", ""],
    [402, "no credit left", ""],
    [403, "does not let", ""],
    [429, "no credit left", "insufficient_quota"],
  ])("is the one to change after %i", async (status, words, code) => {
    const refusal = { status, message: `No: ${apiKey}`, code };
    const { message } = await failure(refusal, { apiKey });
    expect(message).toContain(words);
    expect(message).toContain("the key that you gave for Testhost in Settings");
    expect(message).not.toContain("OPENAI_API_KEY");
    expect(message).not.toContain(apiKey);
  });
});

describe("an error in a stream without a status", () => {
  const event = (error: unknown) => ({ body: `event: error\ndata: ${JSON.stringify(error)}\n\n` });
  const chunk = (error: unknown) => ({ chunks: [{ choices: [{ delta: { content: "Hal" } }] }, { error }] });

  test.each([
    chunk("overloaded"),
    chunk({ message: "The server had an error", type: "server_error", code: null }),
    chunk({ message: "Please try again later." }),
    event({ type: "overloaded_error", message: "Overloaded" }),
    event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    event({ type: "internal_server_error", message: "oops" }),
    event({ type: "InternalServerError", message: "oops" }),
    event({ type: "timeout", message: "oops" }),
  ])("is retried where it is temporary: %j", async (reply) => {
    const { events, server } = await completeWith([reply, { text: "ok" }]);
    expect(server.requests).toHaveLength(2);
    expect(endOf(events).text).toBe("ok");
    await expect(completeWith([reply], { maxRetries: 0 })).rejects.toMatchObject({ retryable: true });
  });

  test.each([
    chunk("model crashed"),
    event({ type: "invalid_request_error", message: "timeout must be a number: try again" }),
    event({ type: "authentication_error", message: "no" }),
  ])("is final otherwise: %j", async (reply) => {
    const outcome = completeWith([reply, { text: "ok" }]);
    await expect(outcome).rejects.toMatchObject({ code: "model_error", retryable: false });
  });
});

describe("429", () => {
  const quota = "You exceeded your current quota, please check your plan and billing details.";
  const limit = (message: string, code?: string) => ({ status: 429, body: [{ error: { message, code } }] });

  test("is a temporary limit where a time is named beside the billing", async () => {
    const gemini = limit(`${quota}\nPlease retry in 1.5s.`);
    const { events } = await completeWith([gemini, { text: "ok" }]);
    expect(endOf(events).text).toBe("ok");
    await expect(completeWith([gemini], { maxRetries: 0 })).rejects.toMatchObject({
      code: "rate_limited",
      message: expect.stringContaining("Wait 2 seconds"),
      details: { retryAfterMs: 1_500 },
    });
  });

  test.each([
    [quota, undefined],
    [`${quota} Please retry in 12s`, "insufficient_quota"],
  ])("means missing credit otherwise: %s %s", async (message, code) => {
    await expect(completeWith([limit(message, code), { text: "ok" }])).rejects.toThrow("no credit left");
  });

  test.each([
    [{ "retry-after": "90" }, "slow down", 90],
    [{}, "Rate limit reached. Please try again in 1h1m1.2s", 3_662],
  ])(
    "says how long to wait where that is longer than a turn waits: %j %s",
    async (headers, message, seconds) => {
      const outcome = completeWith([{ ...limit(message), headers }, { text: "too late" }]);
      await expect(outcome).rejects.toThrow(`Wait ${seconds} seconds`);
    },
  );

  test("of a few milliseconds waits for a moment", async () => {
    await expect(completeWith([limit("Please try again in 6ms")])).rejects.toThrow("Wait a moment");
  });
});
