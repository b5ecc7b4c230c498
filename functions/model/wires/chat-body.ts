// The body of a chat-completions request. Only the types of the openai package are used, to check the fields; none of
// its code runs. https://platform.openai.com/docs/api-reference/chat/create
import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import { withCachePoints } from "./chat-cache-points.ts";
import { alternating, toWire, toWireTools, type WireOptions } from "./chat-messages.ts";
import { takesImages, temperatureOf, type WireBody, type WireRequest } from "./wire-request.ts";

/** OpenAI's fields, and the additional ones from a model's configuration. */
export function chatBody(request: WireRequest): ChatCompletionCreateParamsStreaming & WireBody {
  const { provider, modelId, model, messages, tools, cacheKey, omit } = request;
  const wire = toWire(messages, wireOptions(request));
  const said = omit.has("roles") ? alternating(wire) : wire;
  const { cacheControl, outputField } = provider.traits ?? {};
  const points = cacheControl && modelId.startsWith(cacheControl) && !omit.has("cache_control");
  const { reasoningEffort, maxOutput } = model;
  const configured: WireBody = {
    ...temperatureOf(request),
    ...(reasoningEffort === undefined || omit.has("reasoning_effort")
      ? {}
      : { reasoning_effort: reasoningEffort }),
    ...(maxOutput === undefined ? {} : { [outputField ?? "max_tokens"]: maxOutput }),
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
    ...model.body,
  };
  return {
    ...configured,
    model: modelId,
    messages: points ? withCachePoints(said) : said,
    ...(tools.length > 0 ? { tools: toWireTools(tools) } : {}),
    stream: true,
    ...(omit.has("stream_options") ? {} : { stream_options: { include_usage: true } }),
  };
}

function wireOptions(request: WireRequest): WireOptions {
  const { provider, omit, thoughts } = request;
  const host = new URL(provider.baseUrl).hostname;
  return {
    images: takesImages(request),
    callId: omit.has("call_ids") ? /^[A-Za-z0-9]{9}$/ : callIdOf(host),
    bridges: omit.has("user_after_tool"),
    reasoning: !thoughts ? "none" : omit.has("missing_reasoning") ? "every" : "own",
    signatures: omit.has("missing_signatures"),
  };
}

/**
 * The call ids that a host accepts. Mistral: exactly nine letters and digits. Anthropic: no dots. OpenAI: at most 40
 * characters.
 */
function callIdOf(host: string): RegExp {
  if (host.endsWith("mistral.ai")) return /^[A-Za-z0-9]{9}$/;
  return host.endsWith("anthropic.com") ? /^[A-Za-z0-9_-]{1,40}$/ : /^.{1,40}$/;
}
