// The body of a request to OpenAI's Responses API. OpenAI stores nothing: reasoning comes back encrypted and is sent
// again. https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items (read 2026-11)
import { parseRecord } from "../json-value.ts";
import type { PromptMessage } from "../prompt.ts";
import { answerParts } from "./answer-parts.ts";
import { wireId, wireName } from "./call-names.ts";
import { dataUrl, withText } from "./user-text.ts";
import { takesImages, temperatureOf, type WireBody, type WireRequest } from "./wire-request.ts";

export function responsesBody(request: WireRequest): WireBody {
  const { modelId, model, messages, tools, cacheKey, omit } = request;
  const { reasoningEffort: effort, maxOutput } = model;
  const reasoning = {
    ...(effort === undefined || omit.has("reasoning_effort") ? {} : { effort }),
    ...(effort === "none" || omit.has("reasoning_summary") ? {} : { summary: "auto" }),
  };
  const instructions = messages.flatMap(({ role, content }) => (role === "system" ? content : []));
  return {
    ...temperatureOf(request),
    ...(Object.keys(reasoning).length > 0 ? { reasoning } : {}),
    ...(maxOutput === undefined ? {} : { max_output_tokens: maxOutput }),
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
    ...model.body,
    model: modelId,
    ...(instructions.length > 0 ? { instructions: instructions.join("\n\n") } : {}),
    input: messages.flatMap((message) => itemsOf(message, request)),
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, parameters }) => ({
            ...{ type: "function", name, description, parameters },
            // Strict schemas are the default of this API and do not allow optional parameters.
            strict: false,
          })),
        }
      : {}),
    store: false,
    ...(omit.has("encrypted_reasoning") ? {} : { include: ["reasoning.encrypted_content"] }),
    stream: true,
  };
}

/** Items are sent without ids, because OpenAI stores none that it could find by one. */
function itemsOf(message: PromptMessage, request: WireRequest): Record<string, unknown>[] {
  switch (message.role) {
    case "system":
      return [];
    case "user": {
      const { text, images } = withText(message.content, message.attachments ?? [], takesImages(request));
      if (images.length === 0) return [{ role: "user", content: text }];
      const shown = images.map((image) => ({ type: "input_image", image_url: dataUrl(image) }));
      return [{ role: "user", content: [{ type: "input_text", text }, ...shown] }];
    }
    case "tool": {
      const { toolCallId, content } = message;
      return [{ type: "function_call_output", call_id: wireId(toolCallId, callId), output: content }];
    }
    case "assistant":
      return answerParts(message, ({ type }) => request.thoughts && type === "reasoning").map((part) => {
        if (part.kind === "thought") return part.detail;
        const { phase } = part.kind === "text" ? part : {};
        if (part.kind === "text")
          return { role: "assistant", content: part.text, ...(phase ? { phase } : {}) };
        const { id, name, arguments: args } = part.call;
        return {
          ...{ type: "function_call", call_id: wireId(id, callId), name: wireName(name) },
          arguments: parseRecord(args) === undefined ? "{}" : args,
        };
      });
  }
}

/** It refuses longer ids: decolua/9router#393 (2026-03). */
const callId = /^.{1,64}$/;
