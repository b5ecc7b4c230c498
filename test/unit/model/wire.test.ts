// The body of a request to a provider.
import { describe, expect, test } from "vitest";
import { requestBody } from "../../../functions/model/complete.ts";
import type { PromptMessage } from "../../../functions/model/prompt.ts";
import type { Refused, Traits } from "../../../functions/model/provider.ts";
import { completeWith, providerAt, tools } from "./complete-with.ts";

const long = `${"t".repeat(36)}.12.0`;
const prompt: PromptMessage[] = [
  { role: "system", content: "be good" },
  {
    role: "user",
    content: "look",
    attachments: [
      { kind: "text", name: "log.txt", mediaType: "text/plain", data: "line" },
      { kind: "image", name: "shot.png", mediaType: "image/png", data: "AAAA" },
    ],
  },
  {
    role: "assistant",
    content: "",
    toolCalls: [
      { id: "call_1", name: "read_file", arguments: '{"path":"a"}' },
      { id: long, name: "fly to/the moon", arguments: "{broken" },
    ],
  },
  { role: "tool", toolCallId: "call_1", name: "read_file", ok: true, content: "one" },
  { role: "tool", toolCallId: long, name: "fly", ok: false, content: "two" },
  { role: "assistant", content: "done" },
];

interface Sent {
  messages: {
    role: string;
    content: unknown;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
    tool_call_id?: string;
  }[];
  [field: string]: unknown;
}

/** The body as a provider receives it. */
async function body(baseUrl: string, model = {}, omit: ReadonlySet<Refused> = new Set()): Promise<Sent> {
  const request = { provider: providerAt(baseUrl, model), modelId: "m1", messages: prompt, tools };
  return JSON.parse(JSON.stringify(await requestBody(request, "native", omit)));
}

const { messages, ...rest } = await body("https://api.example.com/v1");

describe("a request in native form", () => {
  test("has the roles of a provider, one result for each call, in order", () => {
    expect(messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
      "user",
    ]);
    expect(messages[2]?.tool_calls?.map(({ id }) => id)).toEqual([
      messages[3]?.tool_call_id,
      messages[4]?.tool_call_id,
    ]);
  });

  test("a plain answer gets a user message before the next answer, in both forms, and what was sent stays", async () => {
    const said: PromptMessage[] = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "one" },
    ];
    const call = { id: "c", name: "read_file", arguments: "{}" };
    const further: PromptMessage[] = [
      ...said,
      { role: "assistant", content: "two", toolCalls: [call] },
      { role: "tool", toolCallId: "c", name: "read_file", ok: true, content: "rows" },
    ];
    for (const form of ["native", "text"] as const) {
      const sent = async (messages: PromptMessage[]) => {
        const provider = providerAt("https://api.example.com/v1", {});
        const body = await requestBody({ provider, modelId: "m1", messages, tools: [] }, form, new Set());
        return body.messages as { role: string; content: string }[];
      };
      expect((await sent(said)).map(({ content }) => content)).toEqual(["hi", "one", "Go on."]);
      expect((await sent(further)).slice(0, 3)).toEqual(await sent(said));
      expect((await sent(further)).map(({ role }) => role)).toEqual([
        "user",
        "assistant",
        "user",
        "assistant",
        form === "native" ? "tool" : "user",
      ]);
    }
  });

  test("shows text attachments as text and images as data URLs", () => {
    expect(messages[1]?.content).toEqual([
      { type: "text", text: 'look\n\n<attachment name="log.txt">\nline\n</attachment>' },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    ]);
  });

  test("says that an image is missing where the model does not accept images", async () => {
    expect((await body("https://api.example.com/v1", { images: false })).messages[1]?.content).toContain(
      'image "shot.png" was left out',
    );
  });

  test("sends unparseable arguments as {}, and names that providers accept", () => {
    const calls = messages[2]?.tool_calls ?? [];
    expect(calls.map((call) => call.function.arguments)).toEqual(['{"path":"a"}', "{}"]);
    expect(calls[1]?.function.name).toBe("fly_to_the_moon");
    expect(messages[2]?.content).toBeNull();
  });

  test("keeps ids that fit and shortens those that are too long, the same way every time", async () => {
    expect(messages[3]?.tool_call_id).toBe("call_1");
    expect(messages[4]?.tool_call_id).toMatch(/^[a-z0-9]{9}$/);
    expect((await body("https://api.example.com/v1")).messages[4]?.tool_call_id).toBe(
      messages[4]?.tool_call_id,
    );
  });

  test("gives Mistral ids of nine letters and digits", async () => {
    const ids = (await body("https://api.mistral.ai/v1")).messages.flatMap(
      ({ tool_call_id: id }) => id ?? [],
    );
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
  });

  test("streams, with usage, and without a temperature of ours", () => {
    expect(rest).toMatchObject({
      model: "m1",
      stream: true,
      stream_options: { include_usage: true },
    });
    expect("temperature" in rest).toBe(false);
  });

  test("sends the temperature that the model is configured with, or none", async () => {
    expect((await body("https://a.example/v1", { temperature: 1 })).temperature).toBe(1);
    expect("temperature" in (await body("https://a.example/v1", { temperature: null }))).toBe(false);
    const refused = await body("https://a.example/v1", { temperature: 1 }, new Set<Refused>(["temperature"]));
    expect("temperature" in refused).toBe(false);
  });

  test("sends a model's configured fields, and none in place of the conversation", async () => {
    const model = {
      reasoningEffort: "low",
      maxOutput: 4_000,
      body: { thinking: { type: "disabled" }, model: "another", stream: false },
    };
    const tuned = { reasoning_effort: "low", max_tokens: 4_000, thinking: { type: "disabled" } };
    expect(await body("https://a.example/v1", model)).toMatchObject({ ...tuned, model: "m1", stream: true });
    const refused = await body("https://a.example/v1", model, new Set<Refused>(["reasoning_effort"]));
    expect("reasoning_effort" in refused).toBe(false);
  });

  test("reaches the server unchanged", async () => {
    const { server } = await completeWith([{ text: "ok" }], { messages: prompt });
    expect(server.requests[0]?.body.messages).toEqual(messages);
    expect(server.requests[0]?.body.tools).toHaveLength(tools.length);
  });
});

describe("prompt caching", () => {
  const asked = async (traits: Traits, modelId: string, omit: Refused[] = []) => {
    const provider = { ...providerAt("https://a.example/v1"), traits };
    const messages = prompt.slice(0, 5);
    const request = { provider, modelId, messages, tools, conversationId: "c1" };
    return JSON.parse(JSON.stringify(await requestBody(request, "native", new Set(omit))));
  };
  const points = ({ messages }: Sent) =>
    messages.flatMap(({ content }, index) =>
      JSON.stringify(content).includes("cache_control") ? index : [],
    );

  test("is requested for Anthropic's models, after the system message and at the end", async () => {
    const traits = { cacheControl: "anthropic/" };
    const body = await asked(traits, "anthropic/claude-sonnet-5");
    expect(points(body)).toEqual([0, 4]);
    expect(body.messages[4].content).toEqual([
      { type: "text", text: "two", cache_control: { type: "ephemeral" } },
    ]);
    expect(points(await asked(traits, "deepseek/deepseek-v4-flash"))).toEqual([]);
    expect(points(await asked(traits, "anthropic/claude-sonnet-5", ["cache_control"]))).toEqual([]);
  });

  test("uses a key per conversation for OpenAI, and for nobody else", async () => {
    expect((await asked({ cacheKey: true }, "m1")).prompt_cache_key).toBe("c1");
    expect("prompt_cache_key" in (await asked({ cacheKey: true }, "m1", ["prompt_cache_key"]))).toBe(false);
    expect("prompt_cache_key" in (await asked({}, "m1"))).toBe(false);
  });
});
