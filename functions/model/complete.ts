// One completion, whatever the provider: attempts, retries, and leaving out what was refused. Keeps nothing between calls.
import { ModelAnswer } from "./answer.ts";
import type { ReadBody } from "./body-reader.ts";
import { Failure, type Refused } from "./failure.ts";
import type { DeltaEvent, ModelEvent } from "./model-event.ts";
import { requestModel } from "./model-request.ts";
import type { PromptMessage, ToolDefinition } from "./prompt.ts";
import type { Provider } from "./provider.ts";
import { requestBody } from "./request-body.ts";
import { realSleep, type Sleep } from "./sleep.ts";
import { readTextCalls } from "./text-calls/text-calls.ts";

export interface CompletionDeps {
  fetch: typeof fetch;
  /** Milliseconds since the epoch: some providers say until when to wait. */
  now(): number;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
  sleep?: Sleep;
  /** How the bytes of an answer are read; absent = as they come. */
  readBody?: ReadBody;
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
  /** What the model is known not to take; whatever else it refuses is added. */
  omit?: Set<Refused>;
  /** Takes the pieces of the answer, in their place among the events; absent = they are yielded, which costs each more than reading it. */
  say?(piece: DeltaEvent): void;
  signal: AbortSignal;
  /** Attempts after the first that failed; 2 by default. Leaving out what was refused is not counted. */
  maxRetries?: number;
  /** Asked before every request but the first, with the pause before it in milliseconds: whether the turn can afford it. */
  mayAskAgain?(waitMs: number): boolean;
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
  const omit = request.omit ?? new Set<Refused>();
  let form = request.toolProtocol;
  for (let retries = 0; !signal.aborted; ) {
    const answer = new ModelAnswer(known, readTextCalls(known, { fences: form === "text" }));
    let streamed = false;
    try {
      for await (const event of requestModel({
        fetch: deps.fetch,
        now: deps.now,
        elapsed: deps.elapsed,
        sleep,
        readBody: deps.readBody,
        provider,
        modelId,
        apiKey,
        ownKey: Boolean(request.apiKey),
        body: requestBody(request, form, omit),
        withImages: !omit.has("images") && hasImages(request.messages),
        answer,
        say:
          request.say &&
          ((piece) => {
            streamed = true;
            request.say?.(piece);
          }),
        signal,
      })) {
        streamed = true;
        yield event;
      }
      return;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (signal.aborted) return;
      const without = leftOut(error, form, tools.length > 0, omit);
      const waitMs = without === undefined ? pauseMs(error, retries, request.maxRetries) : 0;
      if (waitMs === undefined || !(request.mayAskAgain?.(waitMs) ?? true)) throw error.error;
      if (streamed) yield { type: "retry" };
      if (without === undefined) {
        retries += 1;
        await sleep(waitMs, signal);
        continue;
      }
      if (without === "tools") form = "text";
      else omit.add(without);
      if (without === "tools" || without === "images") yield { type: "refused", part: without };
    }
  }
}

/** What the next request can do without; undefined where nothing was refused that is still in it. */
function leftOut(
  { refused }: Failure,
  form: "native" | "text",
  withTools: boolean,
  omit: ReadonlySet<Refused>,
): Refused | undefined {
  if (refused === "tools") return form === "native" && withTools ? refused : undefined;
  return refused !== undefined && !omit.has(refused) ? refused : undefined;
}

/** The pause before the next try; undefined = there is none. */
function pauseMs(
  failure: Failure,
  retries: number,
  maxRetries: number = retrying.maxRetries,
): number | undefined {
  if (!failure.retry || retries >= maxRetries) return undefined;
  const { retryAfterMs = 0 } = failure;
  if (retryAfterMs > retrying.maxWaitMs) return undefined;
  // On top of what was asked for too: else all that were refused together come back together.
  return retryAfterMs + retrying.backoffMs * 2 ** retries * (0.5 + Math.random() / 2);
}

function hasImages(messages: readonly PromptMessage[]): boolean {
  return messages.some(
    (message) => message.role === "user" && message.attachments?.some(({ kind }) => kind === "image"),
  );
}
