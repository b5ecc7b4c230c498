// The body of a request, in the form that its wire and the model's way of calling tools take.

import type { PromptMessage, ToolDefinition } from "./prompt.ts";
import type { Provider } from "./provider.ts";
import type { Refused } from "./refused.ts";
import { textForm } from "./text-form.ts";
import { spokenTo } from "./wires/user-text.ts";
import { wireOf } from "./wires/wire.ts";
import type { WireBody } from "./wires/wire-request.ts";

export interface BodyRequest {
  provider: Provider;
  modelId: string;
  messages: readonly PromptMessage[];
  tools: readonly ToolDefinition[];
  /** The same for all requests of a conversation. */
  conversationId?: string;
}

/** `omit`: what this provider refused in an earlier attempt. */
export async function requestBody(
  { provider, modelId, messages, tools, conversationId = "" }: BodyRequest,
  form: "native" | "text",
  omit: ReadonlySet<Refused>,
): Promise<WireBody> {
  const isNative = form === "native";
  const model: Partial<Provider["models"][number]> = provider.models.find(({ id }) => id === modelId) ?? {};
  const text = isNative ? undefined : await textForm();
  const { body } = await wireOf(provider, modelId, omit).load();
  const keyed = provider.traits?.cacheKey && conversationId !== "" && !omit.has("prompt_cache_key");
  const made = body({
    provider,
    modelId,
    model,
    messages: spokenTo(text === undefined ? messages : text.toTextForm(messages, tools, model.small)),
    tools: isNative ? tools : [],
    cacheKey: keyed ? conversationId : undefined,
    thoughts: !omit.has("reasoning") && !omit.has(`thoughts ${conversationId}`),
    omit,
  });
  if (!model.small || !("messages" in made) || "system" in made) return made;
  return { ...made, ...text?.constrainedFormat(messages, tools, omit) };
}
