// One completion from any provider: builds each request's body, retries after pauses, decides when to give up, and
// leaves out features that were refused. It keeps nothing between calls.
import type { ModelWait } from "../../shared/event.ts";
import { ModelAnswer } from "./answer.ts";
import type { ReadBody } from "./body-reader.ts";
import { Failure } from "./failure.ts";
import { mendedAnswer } from "./mended-answer.ts";
import type { DeltaEvent, ModelEvent } from "./model-event.ts";
import { requestModel } from "./model-request.ts";
import type { PromptMessage, ToolDefinition } from "./prompt.ts";
import type { Provider, Refused } from "./provider.ts";
import { realSleep, type Sleep } from "./sleep.ts";
import { textForm } from "./text-calls/text-calls.ts";
import { spokenTo } from "./wires/user-text.ts";
import { wireOf } from "./wires/wire.ts";
import type { WireBody } from "./wires/wire-request.ts";

export interface CompletionDeps {
  fetch: typeof fetch;
  /** Milliseconds since the epoch, because some providers name the time at which to retry. */
  now(): number;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  sleep?: Sleep;
  /** How to sleep through the pause before a retry; absent = `sleep`. */
  pause?: Sleep;
  /** How to read the bytes of an answer; absent = as they arrive. */
  readBody?: ReadBody;
}

export interface CompletionRequest {
  provider: Provider;
  modelId: string;
  /** The person's own key for this request, which replaces the provider's. */
  apiKey?: string;
  messages: readonly PromptMessage[];
  tools: readonly ToolDefinition[];
  /** The same for all requests of a conversation, because providers use it to find their caches. */
  conversationId?: string;
  /**
   * Names that count as tools in the model's output; by default those of `tools`. A call of a tool that is not offered
   * is then refused by its name.
   */
  knownTools?: Iterable<string>;
  toolProtocol: "native" | "text";
  /** Features that the model is known to refuse; any other feature that it refuses is added. */
  omit?: Set<Refused>;
  /**
   * Receives the pieces of the answer, in order with the events; absent = they are yielded, which takes longer for each
   * piece than reading it.
   */
  say?(piece: DeltaEvent): void;
  signal: AbortSignal;
  /** Called when a wait begins. */
  waits?(wait: ModelWait): void;
  /**
   * Maximum number of retries after the first failure; absent = 2 after an aborted answer, and as many as fit into a
   * minute if the provider limits requests or is overloaded. Requests that leave out a refused feature do not count.
   */
  maxRetries?: number;
  /**
   * Called before every request except the first, with the pause before it in milliseconds: whether the turn can afford
   * the retry.
   */
  mayAskAgain?(waitMs: number): boolean;
}

/**
 * Streams one answer; the last event is `end`. Aborting `signal` ends the stream without it. Throws HandrailError:
 * - `model_error`, with a message that names the setting to change; `details.reason` is "context_length" if the prompt
 *   is too long
 * - `rate_limited`
 * - `timeout`
 */
export async function* streamCompletion(
  deps: CompletionDeps,
  request: CompletionRequest,
): AsyncGenerator<ModelEvent> {
  const { provider, modelId, tools, signal } = request;
  const sleep = deps.sleep ?? realSleep;
  const apiKey = request.apiKey || provider.apiKey;
  const known = new Set(request.knownTools ?? tools.map(({ name }) => name));
  const parameters = new Map(tools.map((tool) => [tool.name, tool.parameters]));
  const omit = request.omit ?? new Set<Refused>();
  const { waitSeconds } = provider.models.find(({ id }) => id === modelId) ?? {};
  const pauses = new Pauses(request.maxRetries);
  let form = request.toolProtocol;
  let { messages } = request;
  while (!signal.aborted) {
    const wire = wireOf(provider, modelId, omit);
    const { readTextCalls } = await textForm();
    const textCalls = readTextCalls(known, { fences: form === "text" });
    const { reader } = await wire.load();
    const answer = new ModelAnswer(known, textCalls, reader());
    let streamed = false;
    const say: CompletionRequest["say"] =
      request.say &&
      ((piece) => {
        streamed = true;
        request.say?.(piece);
      });
    request.waits?.({ at: deps.now() });
    const body = await requestBody({ ...request, messages }, form, omit);
    try {
      const events = requestModel({
        fetch: deps.fetch,
        now: deps.now,
        elapsed: deps.elapsed,
        sleep,
        readBody: deps.readBody,
        provider,
        modelId,
        apiKey,
        ownKey: Boolean(request.apiKey),
        wire,
        body,
        withImages: !omit.has("images") && hasImages(request.messages),
        answer,
        waitMs: waitSeconds === undefined ? undefined : waitSeconds * 1_000,
        say,
        signal,
      });
      for await (const event of mendedAnswer(events, { known, parameters, form, say, messages })) {
        streamed = true;
        yield event;
      }
      return;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (signal.aborted) return;
      const without = leftOut(error, form, request, omit, body);
      const waitMs = without === undefined ? pauses.before(error) : 0;
      if (waitMs === undefined || !(request.mayAskAgain?.(waitMs) ?? true)) throw error.error;
      if (streamed) yield { type: "retry" };
      if (error.misspoke !== undefined) messages = [...request.messages, corrected(error.misspoke)];
      if (without === undefined) {
        pauses.took(waitMs);
        const at = deps.now();
        request.waits?.({
          at,
          until: at + waitMs,
          why: error.error.code === "rate_limited" ? "limited" : "busy",
        });
        await (deps.pause ?? sleep)(waitMs, signal);
        continue;
      }
      if (without === "tools") form = "text";
      else omit.add(without);
      if (without === "tools" || without === "images") yield { type: "refused", part: without };
    }
  }
}

/** The most characters of its unreadable call to quote to the model. */
const maxMisspokenChars = 4_000;

function corrected(misspoke: string): PromptMessage {
  const wrote = misspoke === "" ? "" : `:\n${misspoke.slice(0, maxMisspokenChars)}\n`;
  return {
    role: "user",
    content: `[Your last answer contained a tool call that could not be read, so nothing was run${wrote}. Call the tool again, with arguments as its schema says.]`,
  };
}

/**
 * The refused feature that the next request can leave out; undefined if nothing was refused that the request still
 * contains.
 */
function leftOut(
  failure: Failure,
  form: "native" | "text",
  { tools, conversationId }: CompletionRequest,
  omit: ReadonlySet<Refused>,
  body: Record<string, unknown>,
): Refused | undefined {
  let { refused } = failure;
  // The messages were already joined. Such a template does not count calls and results as turns, so two messages of one
  // role still follow each other.
  if (refused === "roles" && omit.has(refused)) refused = "user_after_tool";
  if (refused === "thoughts ") refused = `thoughts ${conversationId ?? ""}`;
  // Such a refusal may also be about the tools, from which llama.cpp also makes a grammar.
  if (refused === "response_format" && !(refused in body)) refused = "grammar" in body ? "grammar" : "tools";
  if (refused === "tools") return form === "native" && tools.length > 0 ? refused : undefined;
  return refused !== undefined && !omit.has(refused) ? refused : undefined;
}

function hasImages(messages: readonly PromptMessage[]): boolean {
  return messages.some(
    (message) => message.role === "user" && message.attachments?.some(({ kind }) => kind === "image"),
  );
}

const limits = {
  /** Retries after an aborted answer; each costs as much as the whole answer. */
  brokenRetries: 2,
  /** The total pause of one completion while the provider limits requests or is overloaded; a person is waiting. */
  patienceMs: 60_000,
  /** The first pause; it doubles each time, with jitter. */
  firstMs: 500,
  firstPatientMs: 1_000,
  longestMs: 16_000,
} as const;

class Pauses {
  readonly #maxRetries: number | undefined;
  #retries = 0;
  #waitedMs = 0;

  constructor(maxRetries: number | undefined) {
    this.#maxRetries = maxRetries;
  }

  /** Milliseconds before the next retry; undefined = no retry. */
  before({ retry, patient, retryAfterMs = 0 }: Failure): number | undefined {
    const most = this.#maxRetries ?? (patient ? Infinity : limits.brokenRetries);
    const leftMs = limits.patienceMs - this.#waitedMs;
    if (!retry || this.#retries >= most || leftMs <= 0 || retryAfterMs > leftMs) return undefined;
    const first = patient ? limits.firstPatientMs : limits.firstMs;
    const grown = Math.min(limits.longestMs, first * 2 ** this.#retries);
    // Add jitter even to a requested delay; otherwise all clients that were refused together would retry together.
    return retryAfterMs + grown * (0.5 + Math.random() / 2);
  }

  took(waitMs: number): void {
    this.#retries += 1;
    this.#waitedMs += waitMs;
  }
}

interface BodyRequest {
  provider: Provider;
  modelId: string;
  messages: readonly PromptMessage[];
  tools: readonly ToolDefinition[];
  /** The same for all requests of a conversation. */
  conversationId?: string;
}

/** `omit`: features that this provider refused in an earlier attempt. */
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
