// Asks a server on the local network for the context window with which it has loaded a model. Each kind of server has
// its own API for this.
import { isRecord } from "../../shared/is-record.ts";
import { type JsonRecord, stringOrEmpty } from "./json-value.ts";
import type { Provider } from "./provider.ts";

/** A turn waits for the answer; after this time, the server counts as not answering. */
const askMs = 3_000;
/** Time to load a model from disk. The turn would have to wait for that anyway. */
const loadMs = 20_000;

/** Ollama's default. https://docs.ollama.com/context-length (read 2026-11) */
const ollamaDefault = 4_096;

/** Returns undefined if the server does not say. */
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

/**
 * https://docs.ollama.com/api/ps: `context_length` is the window of the running model; `/api/show` only gives the
 * maximum.
 */
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
      all.find(
        ({ name, model }) => names.includes(stringOrEmpty(name)) || names.includes(stringOrEmpty(model)),
      ),
      "context_length",
    );
  };
  const now = await running();
  if (now !== undefined || !load) return now;
  // A request without a prompt only loads the model: https://docs.ollama.com/api/generate.
  await get(`${origin}/api/generate`, { model: modelId }, loadMs).catch(() => undefined);
  const loaded = await running();
  if (loaded !== undefined) return loaded;
  const { parameters } = await get(`${origin}/api/show`, { model: modelId });
  const set = /^num_ctx\s+(\d+)/m.exec(stringOrEmpty(parameters))?.[1];
  return set === undefined ? ollamaDefault : Number(set);
}

function tokensIn(record: unknown, field: string): number | undefined {
  const value = isRecord(record) ? record[field] : undefined;
  return typeof value === "number" && value >= 256 ? value : undefined;
}
