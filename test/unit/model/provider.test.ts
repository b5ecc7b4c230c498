// Providers from environment variables.
import { describe, expect, test } from "vitest";
import { readProviders } from "../../../functions/model/read-providers.ts";
import { wireOf } from "../../../functions/model/wires/wire.ts";

describe("providers", () => {
  test("with nothing configured, none is offered", () => {
    expect(readProviders({})).toEqual([]);
    expect(readProviders({ OPENAI_API_KEY: "", OPENAI_BASE_URL: "" })).toEqual([]);
  });

  test("a key alone means OpenAI", () => {
    expect(readProviders({ OPENAI_API_KEY: "sk-1" })).toMatchObject([
      {
        id: "default",
        label: "OpenAI",
        baseUrl: "https://api.openai.com/v1",
        apiKey: "sk-1",
        demo: false,
        models: [{ id: "gpt-4.1-mini", contextWindow: 200_000, price: { input: 0.4 } }],
      },
    ]);
  });

  test("any other address requires a model", () => {
    expect(() => readProviders({ OPENAI_BASE_URL: "http://127.0.0.1:11434/v1" })).toThrow(
      "HANDRAIL_MODEL is not set",
    );
    const env = {
      OPENAI_BASE_URL: "http://127.0.0.1:11434/v1/",
      HANDRAIL_MODEL: "qwen3, gemma3",
      HANDRAIL_CONTEXT_WINDOW: "32768",
    };
    expect(readProviders(env)).toEqual([
      {
        id: "default",
        label: "Ollama",
        baseUrl: "http://127.0.0.1:11434/v1",
        keyVariable: "OPENAI_API_KEY",
        models: [
          // These models are known as small unless they are configured as large.
          { id: "qwen3", contextWindow: 32_768, small: true, edits: "text" },
          { id: "gemma3", contextWindow: 32_768, small: true, edits: "text" },
        ],
        demo: false,
      },
    ]);
  });

  test("the model writes summaries only where that is configured", () => {
    const summary = (text: string) =>
      readProviders({ OPENAI_API_KEY: "k", HANDRAIL_SUMMARY: text })[0]?.models[0]?.summary;
    expect([summary("on"), summary("off"), summary("")]).toEqual([true, undefined, undefined]);
  });

  test("HANDRAIL_EDITS sets how the models change files; rows by default", () => {
    const edits = (text: string) =>
      readProviders({ OPENAI_API_KEY: "k", HANDRAIL_EDITS: text })[0]?.models[0]?.edits;
    expect([edits("text"), edits("rows"), edits("")]).toEqual(["text", "rows", undefined]);
    expect(() => edits("diff")).toThrow(/HANDRAIL_EDITS must be rows or text/);
  });

  test("the demo is called a demo and comes last", () => {
    const providers = readProviders({ OPENAI_API_KEY: "k", HANDRAIL_DEMO_URL: "http://127.0.0.1:5000" });
    expect(providers.map(({ id, demo }) => [id, demo])).toEqual([
      ["default", false],
      ["demo", true],
    ]);
    expect(providers[1]).toMatchObject({ label: "Scripted demo", baseUrl: "http://127.0.0.1:5000/v1" });
  });

  test("a list names the variables of its keys", () => {
    const listed = [
      {
        id: "mistral",
        baseUrl: "https://api.mistral.ai/v1",
        keyVariable: "MY_KEY",
        models: [{ id: "m", contextWindow: 32_000 }],
      },
    ];
    expect(readProviders({ HANDRAIL_PROVIDERS: JSON.stringify(listed), MY_KEY: "k1" })).toMatchObject([
      { id: "mistral", label: "Mistral", apiKey: "k1", keyVariable: "MY_KEY" },
    ]);
  });

  test("the name of a key is enough: address, models and prices follow from it", () => {
    const env = { DEEPSEEK_API_KEY: "k1", ANTHROPIC_API_KEY: "k2", HANDRAIL_WAIT: "600" };
    const providers = readProviders(env);
    expect(providers.map(({ id, apiKey }) => [id, apiKey])).toEqual([
      ["anthropic", "k2"],
      ["deepseek", "k1"],
    ]);
    expect(providers[1]).toMatchObject({
      label: "DeepSeek",
      baseUrl: "https://api.deepseek.com/v1",
      keyVariable: "DEEPSEEK_API_KEY",
      models: [
        { id: "deepseek-v4-flash", images: false, price: { input: 0.14, output: 0.28, cached: 0.0028 } },
        {},
      ],
    });
    // Variables about models apply to those of the default provider.
    expect(providers.map(({ models: [first] }) => first?.waitSeconds)).toEqual([600, undefined]);
  });

  test("Anthropic is called over Messages, OpenAI's reasoning models over Responses, whoever configures them", () => {
    const paths = (env: Record<string, string>) =>
      readProviders(env).flatMap((provider) =>
        provider.models.map(({ id }) => `${id} ${wireOf(provider, id).path(provider.baseUrl)}`),
      );
    expect(paths({ ANTHROPIC_API_KEY: "k" })[0]).toBe("claude-sonnet-5 /messages");
    const models = "gpt-4.1-mini,gpt-5.4,o4-mini,chatgpt-4o-latest";
    expect(paths({ OPENAI_API_KEY: "k", HANDRAIL_MODEL: models })).toEqual([
      "gpt-4.1-mini /chat/completions",
      "gpt-5.4 /responses",
      "o4-mini /responses",
      "chatgpt-4o-latest /chat/completions",
    ]);
    const entries = ["chat", undefined].map((wire) => ({ id: `claude-${wire}`, contextWindow: 9_000, wire }));
    const listed = [{ id: "a", baseUrl: "https://api.anthropic.com/v1", models: entries }];
    expect(paths({ HANDRAIL_PROVIDERS: JSON.stringify(listed) })).toEqual([
      "claude-chat /chat/completions",
      "claude-undefined /messages",
    ]);
    const other = { OPENAI_BASE_URL: "https://api.deepseek.com/anthropic", HANDRAIL_MODEL: "m" };
    expect(paths(other)).toEqual(["m /chat/completions"]);
    expect(paths({ ...other, HANDRAIL_WIRE: "messages" })).toEqual(["m /v1/messages"]);
    expect(() => paths({ ...other, HANDRAIL_WIRE: "grpc" })).toThrow(
      /HANDRAIL_WIRE must be chat, responses or messages/,
    );
  });

  test("HANDRAIL_MODEL names models of the first provider, known or not, and variables take precedence over known values", () => {
    const env = { GROQ_API_KEY: "k", HANDRAIL_MODEL: "openai/gpt-oss-120b,new", HANDRAIL_PRICE: "1,2" };
    expect(readProviders(env)).toMatchObject([
      {
        id: "groq",
        models: [
          { id: "openai/gpt-oss-120b", contextWindow: 131_072, price: { input: 1, output: 2 } },
          { id: "new", contextWindow: 128_000 },
        ],
      },
    ]);
    const both = readProviders({ ...env, OPENAI_API_KEY: "k2" });
    expect(both.map(({ id, models: [first] }) => [id, first?.id])).toEqual([
      ["default", "openai/gpt-oss-120b"],
      ["groq", "openai/gpt-oss-120b"],
    ]);
    expect(both[1]?.models[0]?.price).toEqual({ input: 0.15, output: 0.6, cached: 0.075 });
  });

  test("a provider in the list appears once, whether by its id or by its key", () => {
    const listed = (more: object) =>
      JSON.stringify([
        { id: "mine", baseUrl: "https://x.example/v1", models: [{ id: "m", contextWindow: 9_000 }], ...more },
      ]);
    for (const more of [{ id: "groq" }, { keyVariable: "GROQ_API_KEY" }])
      expect(readProviders({ GROQ_API_KEY: "k", HANDRAIL_PROVIDERS: listed(more) })).toHaveLength(1);
  });

  test.each([
    ["2.5,10,1.25", { input: 2.5, output: 10, cached: 1.25 }],
    ["0, 0", { input: 0, output: 0 }],
  ])("HANDRAIL_PRICE %s is accepted as a price", (text, price) => {
    const [provider] = readProviders({ OPENAI_API_KEY: "k", HANDRAIL_PRICE: text });
    expect(provider?.models[0]?.price).toEqual(price);
  });

  test.each([
    [{ OPENAI_BASE_URL: "localhost:11434", HANDRAIL_MODEL: "m" }, "OPENAI_BASE_URL"],
    [{ OPENAI_API_KEY: "k", HANDRAIL_CONTEXT_WINDOW: "big" }, "HANDRAIL_CONTEXT_WINDOW"],
    [{ OPENAI_API_KEY: "k", HANDRAIL_PRICE: "2.5" }, "HANDRAIL_PRICE"],
    [{ OPENAI_API_KEY: "k", HANDRAIL_PRICE: "2.5,-1" }, "HANDRAIL_PRICE"],
    [{ HANDRAIL_PROVIDERS: "{" }, "HANDRAIL_PROVIDERS"],
    [{ HANDRAIL_PROVIDERS: '[{"id":"a","baseUrl":"https://a.example"}]' }, "models"],
    [
      {
        OPENAI_API_KEY: "k",
        HANDRAIL_PROVIDERS:
          '[{"id":"default","baseUrl":"https://a.example","models":[{"id":"m","contextWindow":9000}]}]',
      },
      "twice",
    ],
  ])("%j is refused by name", (env, word) => {
    expect(() => readProviders(env)).toThrow(word);
  });
});
