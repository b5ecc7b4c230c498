// The messages that a person reads when a provider refuses, falls silent or answers with something else.
import { describe, expect, test, vi } from "vitest";
import { streamCompletion } from "../../../functions/model/complete.ts";
import type { HandrailError } from "../../../shared/errors.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { startModelServer } from "../../fakes/model-server.ts";
import { collect, completeWith, endOf, patientDeps, providerAt, requestTo } from "./complete-with.ts";

async function failure(reply: ModelReply, overrides = {}): Promise<HandrailError> {
  const outcome = completeWith([reply], { maxRetries: 0, ...overrides });
  return outcome.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: HandrailError) => error,
  );
}

const echo = { error: { message: "Incorrect API key provided: sk-test-secret-key" } };

describe("refusals say which setting to change", () => {
  const cases: [status: number, words: string[]][] = [
    [401, ["Testhost", "OPENAI_API_KEY", "a key of your own", "Settings, Model"]],
    [402, ["no credit", "OPENAI_API_KEY"]],
    [403, ["m1", "HANDRAIL_MODEL"]],
    [404, ["m1", "HANDRAIL_MODEL", "OPENAI_BASE_URL"]],
  ];
  test.each(cases)("%i", async (status, words) => {
    const error = await failure({ status, body: echo });
    expect(error.code).toBe("model_error");
    for (const word of words) expect(error.message).toContain(word);
    expect(error.message).not.toContain("secret");
  });

  test("429 for lack of credit is not waited for", async () => {
    const body = { error: { message: "You exceeded your current quota", code: "insufficient_quota" } };
    const { message } = await failure({ status: 429, body }, { maxRetries: 2 });
    expect(message).toContain("no credit left");
  });

  test("a missing key is reported, and none is sent", async () => {
    const server = await startModelServer([{ status: 401, body: {} }]);
    const provider = { ...providerAt(server.url) };
    delete provider.apiKey;
    await expect(collect(streamCompletion(patientDeps, requestTo(server.url, { provider })))).rejects.toThrow(
      "asks for an API key",
    );
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    await server.close();
  });

  test("a person's own key takes precedence over the server's", async () => {
    const { server } = await completeWith([{ text: "ok" }], { apiKey: "own-key" });
    expect(server.requests[0]?.headers.authorization).toBe("Bearer own-key");
  });

  test("a provider gets the product's name and its own key, and nothing about the machine", async () => {
    vi.stubEnv("OPENAI_CUSTOM_HEADERS", "x-leak: yes");
    const { server } = await completeWith([{ text: "ok" }], { apiKey: "own-key" });
    vi.unstubAllEnvs();
    const headers = server.requests[0]?.headers ?? {};
    expect(headers["user-agent"]).toMatch(/^Handrail\/\d/);
    expect(Object.keys(headers).filter((name) => /^(x-|openai)/.test(name))).toEqual([]);
  });

  test("a key that does not fit in a header is named, and nothing is sent", async () => {
    const server = await startModelServer([{ text: "ok" }]);
    const request = requestTo(server.url, { apiKey: "one\ntwo" });
    await expect(collect(streamCompletion(patientDeps, request))).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(/characters that a header cannot contain\. Check OPENAI_API_KEY\./),
    });
    expect(server.requests).toEqual([]);
    await server.close();
  });

  test("a prompt that is too long is recognized", async () => {
    const body = {
      error: {
        message: "This model's maximum context length is 8192 tokens",
        code: "context_length_exceeded",
      },
    };
    expect((await failure({ status: 400, body })).details).toMatchObject({ reason: "context_length" });
  });

  test("a provider that does not answer", async () => {
    const request = requestTo("http://127.0.0.1:9/v1", { maxRetries: 0 });
    await expect(collect(streamCompletion(patientDeps, request))).rejects.toMatchObject({
      code: "model_error",
      retryable: true,
      message: expect.stringContaining("OPENAI_BASE_URL"),
    });
  });

  test("a page instead of a completion", async () => {
    const error = await failure({ status: 200, body: "<html><body>Welcome</body></html>" });
    expect(error.message).toContain("usually ends in /v1");
  });
});

describe("errors inside a 200 answer", () => {
  test("as a chunk of the stream", async () => {
    const error = await failure({
      chunks: [{ choices: [{ delta: { content: "Hal" } }] }, { error: { message: "overloaded", code: 529 } }],
    });
    expect(error).toMatchObject({ code: "model_error", message: expect.stringContaining("overloaded") });
  });

  test("as the body", async () => {
    const error = await failure({
      body: { error: { message: "Rate limit reached", code: "rate_limit_exceeded" } },
    });
    expect(error.code).toBe("rate_limited");
  });

  test("as the finish", async () => {
    const error = await failure({ text: "Hal", finish: "error" });
    expect(error.code).toBe("model_error");
  });
});

describe("what a provider does not accept is left out", () => {
  test("temperature", async () => {
    const refusal = {
      status: 400,
      body: {
        error: { message: "Unsupported value: 'temperature' does not support 0.1", param: "temperature" },
      },
    };
    const { events, server } = await completeWith([refusal, { text: "ok" }], { maxRetries: 0 });
    expect(server.requests.map(({ body }) => "temperature" in body)).toEqual([true, false]);
    expect(endOf(events).text).toBe("ok");
  });

  test("stream options", async () => {
    const refusal = { status: 422, body: { detail: "extra fields not permitted: stream_options" } };
    const { server } = await completeWith([refusal, { text: "ok" }], { maxRetries: 0 });
    expect(server.requests.map(({ body }) => "stream_options" in body)).toEqual([true, false]);
  });

  test("a request refused for good is not retried for ever", async () => {
    const refusal = { status: 400, body: { error: { message: "temperature is not supported" } } };
    await expect(completeWith([refusal])).rejects.toMatchObject({ code: "model_error" });
  });
});

/** A clock on which pauses end at once but advance the time, as soon as `ready` resolves. */
function hastyClock(ready: Promise<unknown>) {
  let nowMs = 0;
  return {
    now: () => 0,
    elapsed: () => nowMs,
    sleep: async (ms: number, signal: AbortSignal) => {
      await ready;
      if (!signal.aborted) nowMs += ms;
    },
  };
}

/**
 * A stream that begins with `first` and continues with comments forever, and a clock that advances with them.
 */
function pinging(first = "") {
  const encoder = new TextEncoder();
  let nowMs = 0;
  const fetch = async (_: unknown, init?: RequestInit) =>
    new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) => first === "" || controller.enqueue(encoder.encode(first)),
        async pull(controller) {
          await new Promise(setImmediate);
          nowMs += 1_000;
          if (init?.signal?.aborted) controller.error(new Error("aborted"));
          else controller.enqueue(encoder.encode(": waiting\n\n"));
        },
      }),
    );
  // The silence is checked at every read, because the clock advances with the comments.
  const sleep = async (ms: number, signal: AbortSignal) => {
    for (const untilMs = nowMs + ms; nowMs < untilMs && !signal.aborted; ) await new Promise(setImmediate);
  };
  const clock = { now: () => 0, elapsed: () => nowMs, sleep };
  return { read: streamCompletion({ fetch, ...clock }, requestTo("http://pings.test/v1")), clock };
}

describe("silence and stopping", () => {
  test("a model that sends nothing for five minutes is cut off", async () => {
    const server = await startModelServer([{ hang: true }]);
    const clock = hastyClock(server.request(1));
    const stream = streamCompletion({ fetch, ...clock }, requestTo(server.url));
    await expect(collect(stream)).rejects.toMatchObject({ code: "timeout", retryable: true });
    expect(clock.elapsed()).toBe(300_000);
    await server.abandoned(1);
    await server.close();
  });

  test("one whose provider sends only comments is cut off too, later", async () => {
    const { read, clock } = pinging();
    await expect(collect(read)).rejects.toMatchObject({ code: "timeout" });
    expect(clock.elapsed()).toBeGreaterThan(600_000);
    expect(clock.elapsed()).toBeLessThan(1_000_000);
  });

  test("comments after a finish do not delay the end", async () => {
    const { read, clock } = pinging(
      'data: {"choices":[{"delta":{"content":"all"},"finish_reason":"stop"}]}\n\n',
    );
    expect(endOf(await collect(read)).text).toBe("all");
    expect(clock.elapsed()).toBeLessThan(60_000);
  });

  test("stopping ends without an error and closes the socket", async () => {
    const server = await startModelServer([{ hang: true }]);
    const stop = new AbortController();
    const events = collect(streamCompletion(patientDeps, requestTo(server.url, { signal: stop.signal })));
    await server.request(1);
    stop.abort();
    expect(await events).toEqual([]);
    await server.abandoned(1);
    await server.close();
  });

  test("stopping in mid-stream keeps what had arrived", async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const server = await startModelServer([{ text: "one two three four", fragments: 40 }]);
    for await (const event of streamCompletion(patientDeps, requestTo(server.url, { signal: stop.signal }))) {
      seen.push(event.type);
      stop.abort();
    }
    expect(seen).not.toContain("end");
    await server.close();
  });

  test("nothing is requested once stopped", async () => {
    const { events, server } = await completeWith([{ text: "x" }], { signal: AbortSignal.abort() });
    expect(events).toEqual([]);
    expect(server.requests).toHaveLength(0);
  });
});
