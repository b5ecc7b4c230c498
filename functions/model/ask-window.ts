// Asks a server of the local network for the window that it has loaded a model with: each kind of server has a way of its own.
import { isRecord } from "../../shared/is-record.ts";
import { type JsonRecord, textOf } from "./json-value.ts";
import type { Provider } from "./provider.ts";

/** A turn waits for the answer; a slower one counts as no answer. */
const askMs = 3_000;
/** Loading a model from a disk; it has to be loaded for the turn anyway. */
const loadMs = 20_000;

/** Ollama's own if nothing else is set. https://docs.ollama.com/context-length (read 2026-11) */
const ollamaDefault = 4_096;

/** Undefined if the server does not say. */
export async function loadedWindow(
  ask: typeof fetch,
  provider: Provider,
  modelId: string,
  load: boolean,
): Promise<number | undefined> {
  const { origin, port } = new URL(provider.baseUrl);
  const headers = {
    "content-type": "application/json",
    ...(provider.apiKey ? { authorization: `Bearer ${provider.apiKey}` } : {}),
  };
  const get = async (url: string, body?: unknown, ms = askMs): Promise<JsonRecord> => {
    const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await ask(url, { ...post, headers, signal: AbortSignal.timeout(ms) });
    const answer: unknown = response.ok ? await response.json() : undefined;
    return isRecord(answer) ? answer : {};
  };
  if (port === "11434" || [provider.id, provider.label].some((name) => /ollama/i.test(name)))
    return ollamaWindow(origin, modelId, load, get);
  // LM Studio: https://lmstudio.ai/docs/app/api/endpoints/rest; vLLM and llama.cpp: fields of the list of models, and
  // llama.cpp's /props (all read 2026-11).
  const native = await get(`${origin}/api/v0/models/${encodeURIComponent(modelId)}`).catch(() => ({}));
  const loaded = tokensIn(native, "loaded_context_length");
  if (loaded !== undefined) return loaded;
  const { data } = await get(`${provider.baseUrl}/models`);
  const found = Array.isArray(data) ? data.filter(isRecord).find(({ id }) => id === modelId) : undefined;
  const listed = tokensIn(found, "max_model_len") ?? tokensIn(found?.meta, "n_ctx");
  if (listed !== undefined || found?.owned_by !== "llamacpp") return listed;
  const { default_generation_settings: settings } = await get(`${origin}/props`);
  return tokensIn(settings, "n_ctx");
}

/** https://docs.ollama.com/api/ps: `context_length` is what the model runs with; `/api/show` says what it could take. */
async function ollamaWindow(
  origin: string,
  modelId: string,
  load: boolean,
  get: (url: string, body?: unknown, ms?: number) => Promise<JsonRecord>,
): Promise<number | undefined> {
  const running = async () => {
    const { models } = await get(`${origin}/api/ps`);
    const all = Array.isArray(models) ? models.filter(isRecord) : [];
    const names = [modelId, `${modelId}:latest`];
    return tokensIn(
      all.find(({ name, model }) => names.includes(textOf(name)) || names.includes(textOf(model))),
      "context_length",
    );
  };
  const now = await running();
  if (now !== undefined || !load) return now;
  // Without a prompt it only loads: https://docs.ollama.com/api/generate.
  await get(`${origin}/api/generate`, { model: modelId }, loadMs).catch(() => undefined);
  const loaded = await running();
  if (loaded !== undefined) return loaded;
  const { parameters } = await get(`${origin}/api/show`, { model: modelId });
  const set = /^num_ctx\s+(\d+)/m.exec(textOf(parameters))?.[1];
  return set === undefined ? ollamaDefault : Number(set);
}

function tokensIn(record: unknown, field: string): number | undefined {
  const value = isRecord(record) ? record[field] : undefined;
  return typeof value === "number" && value >= 256 ? value : undefined;
}
