// A notice in the history of a feature that a model refused. The history is the permanent copy, for replays and later
// turns.
import type { EventMessage, Message } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Fallback } from "./model-event.ts";

const words: Record<Fallback, (model: string) => string> = {
  tools: (model) => `${model} takes no native tool calls: from here on calls are written as text.`,
  images: (model) => `${model} takes no images: they are left out of what it is sent.`,
};

export interface FallbackOf {
  provider: string;
  model: string;
  part: Fallback;
}

/** `at`: milliseconds since the epoch. */
export function fallbackNotice(
  { provider, model, part }: FallbackOf,
  from: { id: string; at: number; mode: Mode },
): EventMessage {
  return {
    id: from.id,
    role: "event",
    content: words[part](model),
    createdAt: from.at,
    mode: from.mode,
    extra: {
      event: { subkind: "system_notice", source: "model", data: { kind: "fallback", provider, model, part } },
    },
  };
}

/** The refusal that `message` records; undefined for any other message. */
export function readFallback(message: Message): FallbackOf | undefined {
  if (message.role !== "event") return undefined;
  const { kind, provider, model, part } = message.extra.event.data;
  if (kind !== "fallback" || typeof provider !== "string" || typeof model !== "string") return undefined;
  return part === "tools" || part === "images" ? { provider, model, part } : undefined;
}

/** The features that this model has refused in this conversation. */
export function fallbacksIn(
  history: readonly Message[],
  asked: { provider: string; model: string },
): Set<Fallback> {
  const found = history.flatMap((message) => readFallback(message) ?? []);
  return new Set(
    found
      .filter(({ provider, model }) => provider === asked.provider && model === asked.model)
      .map(({ part }) => part),
  );
}
