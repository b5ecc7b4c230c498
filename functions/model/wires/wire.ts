// The three wire formats, and which one is used for a model. The rare ones are loaded with the first request that needs
// them.

import type { Provider, Refused, WireName } from "../provider.ts";
import { chatBody } from "./chat-body.ts";
import { readChunk } from "./chunk-fields.ts";
import type { WireForm } from "./wire-request.ts";

export interface Wire {
  /** The path below a base URL. */
  path(baseUrl: string): string;
  keyHeaders(key: string): Record<string, string>;
  load(): Promise<WireForm>;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const wires: Record<WireName, Wire> = {
  chat: {
    path: () => "/chat/completions",
    keyHeaders: bearer,
    load: async () => ({ body: chatBody, reader: () => readChunk }),
  },
  responses: {
    path: () => "/responses",
    keyHeaders: bearer,
    load: async () => (await import("./responses.ts")).responses,
  },
  messages: {
    // Addresses made for Anthropic's own SDK contain no version: https://api.deepseek.com/anthropic.
    path: (baseUrl) => (/\/v\d+$/.test(baseUrl) ? "/messages" : "/v1/messages"),
    // https://docs.anthropic.com/en/api/versioning (read 2026-11)
    keyHeaders: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
    load: async () => (await import("./messages.ts")).messages,
  },
};

/**
 * The wire format that the model is configured with, or else the one known to be best for its provider, or else chat
 * completions.
 */
export function wireOf(
  { models, traits }: Provider,
  modelId: string | undefined,
  omit: ReadonlySet<Refused> = new Set(),
): Wire {
  const set = models.find(({ id }) => id === modelId)?.wire;
  const known = traits?.wire;
  const fits = known && (known.models?.test(modelId ?? "") ?? true);
  return wires[set ?? (fits ? known.name : omit.has("chat_completions") ? "responses" : "chat")];
}
