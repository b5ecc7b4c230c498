// What every wire makes its request of.

import type { PromptMessage, ToolDefinition } from "../prompt.ts";
import type { ModelSettings, Provider, Refused } from "../provider.ts";
import type { ReadChunk } from "./chunk-fields.ts";

export interface WireRequest {
  provider: Provider;
  modelId: string;
  /** {} if the provider does not list the model. */
  model: Partial<ModelSettings>;
  /** Every answer in words is spoken to; without calls where they are written as text. */
  messages: readonly PromptMessage[];
  /** Those that are called natively. */
  tools: readonly ToolDefinition[];
  /** The same for all requests of a conversation, where its provider finds its cache by it. */
  cacheKey: string | undefined;
  /** Whether reasoning goes back to the model it came from. */
  thoughts: boolean;
  /** What the provider refused in an earlier attempt. */
  omit: ReadonlySet<Refused>;
}

export type WireBody = Record<string, unknown>;

/** How a wire writes a request, and reads the chunks of one answer. */
export interface WireForm {
  body(request: WireRequest): WireBody;
  reader(): ReadChunk;
}

/** Whether the model is shown images. */
export function takesImages({ model, omit }: WireRequest): boolean {
  return (model.images ?? true) && !omit.has("images");
}

/** Sent only where somebody configured it: models differ in what they do best with, and in what they refuse. */
export function temperatureOf({ model: { temperature }, omit }: WireRequest): WireBody {
  return temperature == null || omit.has("temperature") ? {} : { temperature };
}
