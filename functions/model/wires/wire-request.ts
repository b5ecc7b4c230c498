// What every wire format needs to build its request.

import type { PromptMessage, ToolDefinition } from "../prompt.ts";
import type { ModelSettings, Provider, Refused } from "../provider.ts";
import type { ReadChunk } from "./chunk-fields.ts";

export interface WireRequest {
  provider: Provider;
  modelId: string;
  /** {} if the provider does not list the model. */
  model: Partial<ModelSettings>;
  /**
   * A user message follows every answer without calls. Without `tool` messages and calls if these are written as text.
   */
  messages: readonly PromptMessage[];
  /** The tools that can be called natively. */
  tools: readonly ToolDefinition[];
  /** The same for all requests of a conversation, if the provider uses it to find its cache. */
  cacheKey: string | undefined;
  /** Whether reasoning is sent back to the model that produced it. */
  thoughts: boolean;
  /** Features that the provider refused in an earlier attempt. */
  omit: ReadonlySet<Refused>;
}

export type WireBody = Record<string, unknown>;

/** How a wire format writes a request and reads the chunks of one answer. */
export interface WireForm {
  body(request: WireRequest): WireBody;
  reader(): ReadChunk;
}

/** Whether images are sent to the model. */
export function takesImages({ model, omit }: WireRequest): boolean {
  return (model.images ?? true) && !omit.has("images");
}

/** Sent only if it is configured, because models differ in their best temperature and in what they refuse. */
export function temperatureOf({ model: { temperature }, omit }: WireRequest): WireBody {
  return temperature == null || omit.has("temperature") ? {} : { temperature };
}
