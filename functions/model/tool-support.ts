// What a model accepts (native calls, images): configured, observed by this process, or declared by the provider.

import type { ToolProtocol } from "../../shared/event.ts";
import { isRecord } from "../../shared/is-record.ts";
import type { JsonRecord } from "./json-value.ts";
import type { ModelSettings, Provider, Refused } from "./provider.ts";

/**
 * Declared and refused features, by provider and model. Refusals of native calls are also kept by conversation, so that
 * the next conversation tries a repaired server again. This copy may be lost; the permanent one is in the history.
 */
export interface ToolSupport {
  declared: Map<string, ToolProtocol>;
  refused: Set<string>;
  omitted: Map<string, Set<Refused>>;
  /** The windows with which self-hosted servers have loaded models. */
  windows: Map<string, { at: number; tokens: number | undefined }>;
}

export function createToolSupport(): ToolSupport {
  return { declared: new Map(), refused: new Set(), omitted: new Map(), windows: new Map() };
}

interface Asking {
  fetch: typeof fetch;
  apiKey?: string | undefined;
  support: ToolSupport;
}

/** A turn waits for the answer; after this time, the provider counts as not answering. */
const maxWaitMs = 3_000;
/** Beyond this number, the oldest refusals are dropped; each costs one request to find out again. */
const maxRefusals = 1_000;

/** A model, and the conversation in which it is asked. */
export interface AskedModel {
  provider: Provider;
  model: ModelSettings;
  conversationId: string;
}

/**
 * The form of calls for a model: `wanted`, else as configured, else native unless something is known against it. A
 * refusal outweighs a wish for native calls. Asks the provider at most once for each model; never throws.
 */
export async function findToolProtocol(
  asking: Asking,
  asked: AskedModel,
  wanted: "auto" | ToolProtocol,
): Promise<ToolProtocol> {
  const { declared, refused } = asking.support;
  const setting = wanted === "auto" ? (asked.model.toolProtocol ?? "auto") : wanted;
  if (setting === "text" || refused.has(refusalKey(asked))) return "text";
  if (setting === "native") return "native";
  const key = modelKey(asked);
  const known = declared.get(key);
  if (known !== undefined) return known;
  const says = await askDeclared(asking, asked.provider, asked.model.id).catch(() => undefined);
  const protocol = says?.tools === false ? "text" : "native";
  declared.set(key, protocol);
  if (says?.images === false) omittedBy(asking.support, asked).add("images");
  return protocol;
}

/** Remembers for later turns that the model refused native calls during a turn, although no declaration said so. */
export function rememberRefusal({ refused }: ToolSupport, asked: AskedModel): void {
  refused.add(refusalKey(asked));
  if (refused.size > maxRefusals)
    for (const oldest of [...refused].slice(0, maxRefusals / 2)) refused.delete(oldest);
}

/** The features that requests to this model leave out; an addition applies to all later requests. */
export function omittedBy({ omitted }: ToolSupport, asked: Omit<AskedModel, "conversationId">): Set<Refused> {
  const key = modelKey(asked);
  const known = omitted.get(key) ?? new Set<Refused>(asked.provider.traits?.refuses);
  omitted.set(key, known);
  return known;
}

function modelKey({ provider, model }: Omit<AskedModel, "conversationId">): string {
  return `${provider.id} ${model.id}`;
}

function refusalKey(asked: AskedModel): string {
  return `${asked.conversationId} ${modelKey(asked)}`;
}

/** Absent = not declared. */
interface Declared {
  tools?: boolean;
  images?: boolean;
}

/** The provider's own declaration; undefined if it has no API for it. */
async function askDeclared(
  asking: Asking,
  provider: Provider,
  modelId: string,
): Promise<Declared | undefined> {
  const { hostname, origin, port } = new URL(provider.baseUrl);
  const ask = (url: string, init: RequestInit = {}) => askProvider(asking, provider, url, init);
  // Ollama is recognised by its port, or on another port by the provider's name.
  if (port === "11434" || [provider.id, provider.label].some((name) => /ollama/i.test(name))) {
    // https://docs.ollama.com/api-reference/show-model-details: capabilities holds "tools" and "vision".
    const shown = await ask(`${origin}/api/show`, {
      method: "POST",
      body: JSON.stringify({ model: modelId }),
    });
    return listed(shown?.capabilities, "tools", "vision");
  }
  if (hostname === "api.mistral.ai") {
    const shown = await ask(`${provider.baseUrl}/models/${encodeURIComponent(modelId)}`);
    const { function_calling: tools, vision: images } = isRecord(shown?.capabilities)
      ? shown.capabilities
      : {};
    return {
      ...(typeof tools === "boolean" ? { tools } : {}),
      ...(typeof images === "boolean" ? { images } : {}),
    };
  }
  if (hostname === "openrouter.ai") {
    const { data } = (await ask(`${provider.baseUrl}/models`)) ?? {};
    const found: unknown = Array.isArray(data)
      ? data.find((model: unknown) => isRecord(model) && model.id === modelId)
      : undefined;
    if (!isRecord(found)) return undefined;
    const { architecture } = found;
    return {
      ...listed(found.supported_parameters, "tools", ""),
      ...(isRecord(architecture) ? listed(architecture.input_modalities, "", "image") : {}),
    };
  }
  return undefined;
}

function listed(names: unknown, tools: string, images: string): Declared {
  if (!Array.isArray(names)) return {};
  return {
    ...(tools === "" ? {} : { tools: names.includes(tools) }),
    ...(images === "" ? {} : { images: names.includes(images) }),
  };
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
