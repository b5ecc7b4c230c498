// Whether a model takes native tool calls: what is configured, what this process has seen, what the provider declares.
import type { ToolProtocol } from "../../shared/event.ts";
import { isRecord, type JsonRecord } from "./json-value.ts";
import type { ModelSettings, Provider } from "./provider.ts";

/**
 * What was declared, by provider and model, and what was refused, by conversation too: a server that is
 * mended is tried again by the next one. Lossy: the lasting copy is the phone's.
 */
export interface ToolSupport {
  declared: Map<string, ToolProtocol>;
  refused: Set<string>;
}

export function createToolSupport(): ToolSupport {
  return { declared: new Map(), refused: new Set() };
}

interface Asking {
  fetch: typeof fetch;
  apiKey?: string | undefined;
  support: ToolSupport;
}

/** A turn waits for the answer; one that takes longer is none. */
const maxWaitMs = 3_000;
/** The oldest refusals go first: each costs one request to find out again. */
const maxRefusals = 1_000;

/** One model as one conversation asks it. */
export interface AskedModel {
  provider: Provider;
  model: ModelSettings;
  conversationId: string;
}

/**
 * What a model is to be asked in: as `wanted`, else as configured, else native unless something says
 * otherwise. A refusal stands against a wish for native calls. Asks a provider at most once; never throws.
 */
export async function findToolProtocol(
  asking: Asking,
  asked: AskedModel,
  wanted: "auto" | ToolProtocol,
): Promise<ToolProtocol> {
  const { declared, refused } = asking.support;
  const dialect = wanted === "auto" ? (asked.model.toolProtocol ?? "auto") : wanted;
  if (dialect === "text" || refused.has(refusalKey(asked))) return "text";
  if (dialect === "native") return "native";
  const key = modelKey(asked);
  const known = declared.get(key);
  if (known !== undefined) return known;
  const takes = await declaredSupport(asking, asked.provider, asked.model.id).catch(() => undefined);
  const protocol = takes === false ? "text" : "native";
  declared.set(key, protocol);
  return protocol;
}

/** For the turns to come: a refusal in the middle of a turn says what no declaration said. */
export function rememberRefusal({ refused }: ToolSupport, asked: AskedModel): void {
  refused.add(refusalKey(asked));
  if (refused.size > maxRefusals)
    for (const oldest of [...refused].slice(0, maxRefusals / 2)) refused.delete(oldest);
}

function modelKey({ provider, model }: AskedModel): string {
  return `${provider.id} ${model.id}`;
}

function refusalKey(asked: AskedModel): string {
  return `${asked.conversationId} ${modelKey(asked)}`;
}

/** What the provider itself says; undefined where it has no place to say it. */
async function declaredSupport(
  asking: Asking,
  provider: Provider,
  modelId: string,
): Promise<boolean | undefined> {
  const { hostname, origin } = new URL(provider.baseUrl);
  const ask = (url: string, init: RequestInit = {}) => askProvider(asking, provider, url, init);
  if (provider.label === "Ollama") {
    // https://docs.ollama.com/api-reference/show-model-details: capabilities holds "tools".
    const shown = await ask(`${origin}/api/show`, {
      method: "POST",
      body: JSON.stringify({ model: modelId }),
    });
    return Array.isArray(shown?.capabilities) ? shown.capabilities.includes("tools") : undefined;
  }
  if (hostname === "api.mistral.ai") {
    const { capabilities } = (await ask(`${provider.baseUrl}/models/${encodeURIComponent(modelId)}`)) ?? {};
    return isRecord(capabilities) && typeof capabilities.function_calling === "boolean"
      ? capabilities.function_calling
      : undefined;
  }
  if (hostname === "openrouter.ai") {
    const { data } = (await ask(`${provider.baseUrl}/models`)) ?? {};
    const listed: unknown = Array.isArray(data)
      ? data.find((model: unknown) => isRecord(model) && model.id === modelId)
      : undefined;
    return isRecord(listed) && Array.isArray(listed.supported_parameters)
      ? listed.supported_parameters.includes("tools")
      : undefined;
  }
  return undefined;
}

async function askProvider(
  { fetch, apiKey }: Asking,
  provider: Provider,
  url: string,
  init: RequestInit,
): Promise<JsonRecord | undefined> {
  const key = apiKey || provider.apiKey;
  const headers = { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) };
  const response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(maxWaitMs) });
  const body: unknown = response.ok ? await response.json() : undefined;
  return isRecord(body) ? body : undefined;
}
