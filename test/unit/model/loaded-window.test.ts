// The window that self-hosted servers report for the loaded model, over real HTTP.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { usableWindow } from "../../../functions/model/loaded-window.ts";
import { providerAt } from "./complete-with.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Answer = (asked: string[]) => unknown;

/** A server with these routes. `asked`: the requested paths. */
async function serving(label: string, routes: Record<string, Answer>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const answer = routes[request.url ?? ""]?.(asked);
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  const provider = { ...providerAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`), label };
  let nowMs = 0;
  const asking = { fetch, elapsed: () => nowMs, known: new Map() };
  const window = (contextWindow = 128_000, load = true) =>
    usableWindow(asking, provider, { id: "m1", contextWindow }, load);
  return { asked, window, pass: (ms: number) => (nowMs += ms) };
}

const loaded = { models: [{ name: "m1:latest", model: "m1:latest", context_length: 8_192 }] };
const listed = (fields: object) => () => ({ data: [{ id: "m1", ...fields }] });

test.each<[string, string, Record<string, Answer>, number]>([
  ["Ollama, loaded", "Ollama", { "/api/ps": () => loaded }, 8_192],
  [
    "Ollama, loaded first",
    "Ollama",
    {
      "/api/ps": (asked) => (asked.includes("/api/generate") ? loaded : { models: [] }),
      "/api/generate": () => ({}),
    },
    8_192,
  ],
  ["Ollama, that loads nothing", "Ollama", { "/api/ps": () => ({ models: [] }) }, 4_096],
  [
    "Ollama, with a setting of the model's own",
    "Ollama",
    { "/api/ps": () => ({ models: [] }), "/api/show": () => ({ parameters: "stop x\nnum_ctx   16384" }) },
    16_384,
  ],
  ["LM Studio", "LM Studio", { "/api/v0/models/m1": () => ({ loaded_context_length: 6_000 }) }, 6_000],
  ["vLLM", "box", { "/v1/models": listed({ max_model_len: 32_768 }) }, 32_768],
  [
    "llama.cpp",
    "box",
    {
      "/v1/models": listed({ owned_by: "llamacpp", meta: { n_ctx_train: 131_072 } }),
      "/props": () => ({ default_generation_settings: { n_ctx: 4_096 } }),
    },
    4_096,
  ],
  ["a server that says nothing", "box", {}, 128_000],
])("%s", async (_, label, routes, tokens) => {
  const { window } = await serving(label, routes);
  expect(await window()).toBe(tokens);
  // The configured window is the upper limit.
  expect(await window(4_000)).toBe(Math.min(4_000, tokens));
});

test("it is asked again after a minute, and not before", async () => {
  const { asked, window, pass } = await serving("Ollama", { "/api/ps": () => loaded });
  await window();
  await window();
  expect(asked).toHaveLength(1);
  pass(61_000);
  await window();
  expect(asked).toHaveLength(2);
});

test("without loading it, a model's window is the running one, or the last one reported", async () => {
  let running = loaded;
  const { window, pass, asked } = await serving("Ollama", { "/api/ps": () => running });
  expect(await window(128_000, false)).toBe(8_192);
  running = { models: [] };
  pass(120_000);
  expect(await window(128_000, false)).toBe(8_192);
  expect(asked).toEqual(["/api/ps", "/api/ps"]);
  const fresh = await serving("Ollama", { "/api/ps": () => running });
  expect(await fresh.window(128_000, false)).toBe(128_000);
  // A turn does not accept this as an answer.
  expect(await fresh.window()).toBe(4_096);
});
