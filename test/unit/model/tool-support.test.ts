// How it is detected whether a model supports native calls.
import { describe, expect, test } from "vitest";
import type { ModelSettings, Provider } from "../../../functions/model/provider.ts";
import {
  type AskedModel,
  createToolSupport,
  findToolProtocol,
  rememberRefusal,
} from "../../../functions/model/tool-support.ts";
import { providerAt } from "./complete-with.ts";

const model: ModelSettings = { id: "m1", contextWindow: 32_000 };

/** A provider that declares `body`, and the addresses that were requested. */
function declaring(body: unknown) {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    asked.push(String(input));
    return Response.json(body);
  };
  return { asked, fetch, support: createToolSupport() };
}

function as(provider: Provider, settings: Partial<ModelSettings> = {}, conversationId = "c1"): AskedModel {
  return { provider, model: { ...model, ...settings }, conversationId };
}

const ollama: Provider = { ...providerAt("http://127.0.0.1:11434/v1"), label: "Ollama" };

describe("whether a model takes native calls", () => {
  test("is read from Ollama, requested once", async () => {
    const asking = declaring({ capabilities: ["completion"] });
    expect(await findToolProtocol(asking, as(ollama), "auto")).toBe("text");
    expect(await findToolProtocol(asking, as(ollama), "auto")).toBe("text");
    expect(asking.asked).toEqual(["http://127.0.0.1:11434/api/show"]);
    expect(
      await findToolProtocol(declaring({ capabilities: ["completion", "tools"] }), as(ollama), "auto"),
    ).toBe("native");
  });

  test.each([
    [{ ...ollama, label: "My box" }, "http://127.0.0.1:11434/api/show"],
    [{ ...ollama, id: "ollama", label: "Cellar", baseUrl: "http://cellar:80/v1" }, "http://cellar/api/show"],
  ])("is read from an Ollama under another name, or on another port", async (provider, url) => {
    const asking = declaring({ capabilities: ["completion"] });
    expect(await findToolProtocol(asking, as(provider), "auto")).toBe("text");
    expect(asking.asked).toEqual([url]);
  });

  test("is read from Mistral and OpenRouter", async () => {
    const mistral = providerAt("https://api.mistral.ai/v1");
    expect(
      await findToolProtocol(declaring({ capabilities: { function_calling: false } }), as(mistral), "auto"),
    ).toBe("text");
    const openRouter = providerAt("https://openrouter.ai/api/v1");
    const listed = { data: [{ id: "m1", supported_parameters: ["temperature"] }] };
    expect(await findToolProtocol(declaring(listed), as(openRouter), "auto")).toBe("text");
  });

  test("is assumed where nobody says anything", async () => {
    const asking = declaring({});
    expect(await findToolProtocol(asking, as(providerAt("https://api.example.com/v1")), "auto")).toBe(
      "native",
    );
    expect(asking.asked).toEqual([]);
    const down = { ...asking, fetch: () => Promise.reject(new TypeError("down")) };
    expect(await findToolProtocol(down, as(ollama), "auto")).toBe("native");
  });

  test("is as configured or requested, without asking", async () => {
    const asking = declaring({ capabilities: [] });
    expect(await findToolProtocol(asking, as(ollama, { toolProtocol: "text" }), "auto")).toBe("text");
    expect(await findToolProtocol(asking, as(ollama), "native")).toBe("native");
    expect(await findToolProtocol(asking, as(ollama), "text")).toBe("text");
    expect(asking.asked).toEqual([]);
  });

  test("is learned from a refusal in that conversation, whatever is requested", async () => {
    const asking = declaring({});
    rememberRefusal(asking.support, as(ollama));
    expect(await findToolProtocol(asking, as(ollama), "auto")).toBe("text");
    expect(await findToolProtocol(asking, as(ollama), "native")).toBe("text");
    expect(await findToolProtocol(asking, as(ollama, { id: "m2" }), "native")).toBe("native");
    expect(await findToolProtocol(asking, as(ollama, {}, "c2"), "native")).toBe("native");
  });
});
