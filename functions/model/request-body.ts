// The body of a chat-completions request: what is sent, in which form, and what is left out. The openai package's types
// say what a provider takes; nothing of it runs here.
import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import { withCachePoints } from "./cache-points.ts";
import type { PromptMessage, ToolDefinition } from "./prompt.ts";
import type { ModelSettings, Provider } from "./provider.ts";
import type { Refused } from "./refused.ts";
import { toTextForm } from "./text-calls/text-calls.ts";
import { alternating, toWire, toWireTools, type WireOptions } from "./wire.ts";

/** OpenAI's fields, and what a model is configured to be sent beside them. */
export type RequestBody = ChatCompletionCreateParamsStreaming & Record<string, unknown>;

export interface BodyRequest {
  provider: Provider;
  modelId: string;
  messages: readonly PromptMessage[];
  tools: readonly ToolDefinition[];
  /** The same for all requests of a conversation. */
  conversationId?: string;
}

/** `omit`: what this provider refused in an earlier attempt. */
export function requestBody(
  { provider, modelId, messages, tools, conversationId }: BodyRequest,
  form: "native" | "text",
  omit: ReadonlySet<Refused>,
): RequestBody {
  const model = provider.models.find(({ id }) => id === modelId);
  const options = wireOptions(provider, model, omit);
  const wire = toWire(form === "text" ? toTextForm(messages, tools) : messages, options);
  const said = omit.has("roles") ? alternating(wire) : wire;
  const { cacheControl, cacheKey } = provider.traits ?? {};
  const points = cacheControl && modelId.startsWith(cacheControl) && !omit.has("cache_control");
  const keyed = cacheKey && conversationId !== undefined && !omit.has("prompt_cache_key");
  return {
    ...tuning(provider, model, omit),
    ...(keyed ? { prompt_cache_key: conversationId } : {}),
    ...model?.body,
    model: modelId,
    messages: points ? withCachePoints(said) : said,
    ...(form === "native" && tools.length > 0 ? { tools: toWireTools(tools) } : {}),
    stream: true,
    ...(omit.has("stream_options") ? {} : { stream_options: { include_usage: true } }),
  };
}

/** What is sent only where somebody configured it: models differ in what they do best with, and in what they refuse. */
function tuning(
  { traits }: Provider,
  { temperature, reasoningEffort, maxOutput }: Partial<ModelSettings> = {},
  omit: ReadonlySet<Refused>,
): Record<string, unknown> {
  return {
    ...(temperature == null || omit.has("temperature") ? {} : { temperature }),
    ...(reasoningEffort === undefined || omit.has("reasoning_effort")
      ? {}
      : { reasoning_effort: reasoningEffort }),
    ...(maxOutput === undefined ? {} : { [traits?.outputField ?? "max_tokens"]: maxOutput }),
  };
}

function wireOptions(
  provider: Provider,
  model: ModelSettings | undefined,
  omit: ReadonlySet<Refused>,
): WireOptions {
  const host = new URL(provider.baseUrl).hostname;
  return {
    images: (model?.images ?? true) && !omit.has("images"),
    callId: omit.has("call_ids") ? /^[A-Za-z0-9]{9}$/ : callIdOf(host),
    bridges: omit.has("user_after_tool"),
    reasoning: omit.has("reasoning") ? "none" : omit.has("missing_reasoning") ? "every" : "own",
    signatures: omit.has("missing_signatures"),
  };
}

/** Mistral: exactly nine letters and digits. Anthropic: no dots. OpenAI: at most 40 characters. */
function callIdOf(host: string): RegExp {
  if (host.endsWith("mistral.ai")) return /^[A-Za-z0-9]{9}$/;
  return host.endsWith("anthropic.com") ? /^[A-Za-z0-9_-]{1,40}$/ : /^.{1,40}$/;
}
