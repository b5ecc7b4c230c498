// One completion, whatever the provider: attempts, retries, and leaving out what was refused. Keeps nothing between calls.
import { Answer } from "./answer.ts";
import { attempt } from "./attempt.ts";
import { Failure, type Refused } from "./failure.ts";
import type { ModelEvent } from "./model-event.ts";
import type { PromptMessage, ToolDefinition } from "./prompt.ts";
import type { Provider } from "./provider.ts";
import { requestBody } from "./request-body.ts";
import { realSleep, type Sleep } from "./sleep.ts";
import { TextCalls } from "./text-calls.ts";

export interface CompletionDeps {
  fetch: typeof fetch;
  /** Milliseconds since the epoch. */
  now(): number;
  sleep?: Sleep;
}

export interface CompletionRequest {
  provider: Provider;
  modelId: string;
  /** A person's own key for this request; used instead of the provider's. */
  apiKey?: string;
  messages: readonly PromptMessage[];
  tools: readonly ToolDefinition[];
  /** Names that count as tools in what the model writes; those of `tools` by default. A tool not offered is then refused by name. */
  knownTools?: Iterable<string>;
  toolProtocol: "native" | "text";
  signal: AbortSignal;
  /** Attempts after the first that failed; 2 by default. Leaving out what was refused is not counted. */
  maxRetries?: number;
}

const retrying = {
  maxRetries: 2,
  /** First pause before a retry; doubles, with jitter. */
  backoffMs: 500,
  /** A provider that asks for a longer pause ends the turn instead. */
  maxWaitMs: 20_000,
} as const;

/**
 * Streams one answer; the last event is `end`. Aborting `signal` ends it without one. Throws
 * HandrailError: `model_error` in words that name the setting to change (`details.reason` is
 * "context_length" where the prompt is too long), `rate_limited`, `timeout`.
 */
export async function* streamCompletion(
  deps: CompletionDeps,
  request: CompletionRequest,
): AsyncGenerator<ModelEvent> {
  const { provider, modelId, tools, signal } = request;
  const sleep = deps.sleep ?? realSleep;
  const apiKey = request.apiKey || provider.apiKey;
  const known = new Set(request.knownTools ?? tools.map(({ name }) => name));
  const omit = new Set<Refused>();
  let form = request.toolProtocol;
  for (let retries = 0; !signal.aborted; ) {
    const body = requestBody(request, form, omit);
    const answer = new Answer(known, new TextCalls(known, { fences: form === "text" }));
    let streamed = false;
    try {
      for await (const event of attempt({
        fetch: deps.fetch,
        now: deps.now,
        sleep,
        provider,
        modelId,
        apiKey,
        body,
        answer,
        signal,
      })) {
        streamed = true;
        yield event;
      }
      return;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.refused === "tools" && form === "native" && tools.length > 0) {
        form = "text";
        yield { type: "protocol", toolProtocol: "text" };
      } else if (error.refused !== undefined && error.refused !== "tools" && !omit.has(error.refused)) {
        omit.add(error.refused);
      } else {
        const waitMs = error.retryAfterMs ?? retrying.backoffMs * 2 ** retries * (0.5 + Math.random() / 2);
        if (
          !error.retry ||
          retries >= (request.maxRetries ?? retrying.maxRetries) ||
          waitMs > retrying.maxWaitMs
        )
          throw error.error;
        retries += 1;
        if (streamed) yield { type: "retry" };
        await sleep(waitMs, signal);
      }
    }
  }
}
