// Runs one completion against a scripted model and folds its events into the caller's result.

import { type CompletionRequest, streamCompletion } from "../../../functions/model/complete.ts";
import type { ModelEvent } from "../../../functions/model/model-event.ts";
import type { ToolDefinition } from "../../../functions/model/prompt.ts";
import type { Provider } from "../../../functions/model/provider.ts";
import { type ModelScript, type ModelServer, startModelServer } from "../../fakes/model-server.ts";

export const tools: ToolDefinition[] = [
  "read_file",
  "edit_file",
  "write_file",
  "run_command",
  "ask_user",
].map((name) => ({
  name,
  description: name,
  parameters: { type: "object", properties: {} },
}));

export function providerAt(baseUrl: string, model: Partial<Provider["models"][number]> = {}): Provider {
  return {
    id: "default",
    label: "Testhost",
    baseUrl,
    apiKey: "sk-test-secret-key",
    keyVariable: "OPENAI_API_KEY",
    models: [{ id: "m1", contextWindow: 32_000, ...model }],
    demo: false,
  };
}

export function requestTo(baseUrl: string, overrides: Partial<CompletionRequest> = {}): CompletionRequest {
  return {
    provider: providerAt(baseUrl, { temperature: 0.1 }),
    modelId: "m1",
    messages: [
      { role: "system", content: "be good" },
      { role: "user", content: "hello" },
    ],
    tools,
    toolProtocol: "native",
    signal: new AbortController().signal,
    ...overrides,
  };
}

/**
 * Pauses between retries (and the short one after [DONE]) take no time, and the watch for silence never
 * fires.
 */
export const patientDeps = {
  fetch,
  now: () => 0,
  elapsed: () => 0,
  pause: () => Promise.resolve(),
  sleep: (ms: number, signal: AbortSignal) =>
    ms < 3_000
      ? Promise.resolve()
      : new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())),
};

export async function collect(stream: AsyncGenerator<ModelEvent>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The events that are left after a retry has voided the earlier ones. */
export function standing(events: readonly ModelEvent[]): ModelEvent[] {
  return events.slice(events.findLastIndex((event) => event.type === "retry") + 1);
}

export function endOf(events: readonly ModelEvent[]): Extract<ModelEvent, { type: "end" }> {
  const last = events.at(-1);
  if (last?.type !== "end") throw new Error(`the last event is ${last?.type ?? "missing"}`);
  return last;
}

/** Runs one completion against a server with `script`, which is closed afterwards. */
export async function completeWith(
  script: ModelScript,
  given: Partial<CompletionRequest> | ((url: string) => Partial<CompletionRequest>) = {},
): Promise<{ events: ModelEvent[]; server: ModelServer }> {
  const server = await startModelServer(script);
  const overrides = typeof given === "function" ? given(server.url) : given;
  try {
    return { events: await collect(streamCompletion(patientDeps, requestTo(server.url, overrides))), server };
  } finally {
    await server.close();
  }
}
