// One request to a provider through the openai package, its answer raw. The only file that knows the package.
import OpenAI, { APIConnectionError, APIError } from "openai";
import { HandrailError } from "../../shared/errors.ts";
import { Failure, failureOf, type SentRequest } from "./failure.ts";
import { parseRecord } from "./json-value.ts";
import type { Provider } from "./provider.ts";
import { settingNames } from "./settings.ts";

/** The silence watch ends what takes too long; the package's own timer must not come first. */
const packageTimeoutMs = 24 * 60 * 60 * 1000;

/** More than this of a refusal's body says nothing new. */
const maxRefusalChars = 20_000;

export interface Send {
  fetch: typeof fetch;
  now(): number;
  provider: Provider;
  modelId: string;
  apiKey: string | undefined;
  /** Whether `apiKey` is the person's own. */
  ownKey: boolean;
  body: Record<string, unknown>;
  withImages: boolean;
  signal: AbortSignal;
}

/** The response to a streaming chat completion. Throws Failure for everything that is not 2xx. */
export async function send(request: Send): Promise<Response> {
  const { fetch, now, provider, apiKey, body, signal } = request;
  let refusal: unknown;
  // The package keeps only `error` of a refusal's body, and some providers write `detail` or `message`.
  const fetchKeeping: typeof globalThis.fetch = async (input, init) => {
    const response = await fetch(input, { ...init, headers: ownHeaders(init?.headers) });
    if (response.ok) return response;
    const text = (await response.text()).slice(0, maxRefusalChars);
    // Gemini writes its error into a list.
    refusal = parseRecord(text) ?? parseRecord(text.trim().slice(1, -1)) ?? text;
    return new Response(null, { status: response.status, headers: response.headers });
  };
  try {
    const client = new OpenAI({
      apiKey: apiKey || "none",
      baseURL: provider.baseUrl,
      fetch: fetchKeeping,
      maxRetries: 0,
      timeout: packageTimeoutMs,
      logLevel: "off",
      adminAPIKey: null,
      webhookSecret: null,
      organization: null,
      project: null,
      ...(apiKey ? {} : { defaultHeaders: { authorization: null } }),
    });
    return await client.post("/chat/completions", { body, stream: true, signal }).asResponse();
  } catch (error) {
    throw toFailure(error, refusal, askedOf(request), now());
  }
}

/**
 * The package also sends X-Stainless-* headers, which describe this machine, and the headers of a variable of its own
 * (OPENAI_CUSTOM_HEADERS): a provider gets neither.
 */
function ownHeaders(sent: HeadersInit | undefined): Headers {
  const all = [...new Headers(sent)];
  return new Headers(all.filter(([name]) => sentHeaders.has(name)));
}

const sentHeaders = new Set(["accept", "authorization", "content-type", "user-agent"]);

/** What a failure's words need to know of a request. */
export function askedOf({
  provider,
  modelId,
  apiKey,
  ownKey,
  withImages,
}: Omit<Send, "fetch" | "now" | "body" | "signal">): SentRequest {
  return { provider, modelId, withKey: Boolean(apiKey), ownKey, secret: apiKey || undefined, withImages };
}

function toFailure(error: unknown, refusal: unknown, asked: SentRequest, nowMs: number): Failure {
  if (error instanceof APIError && error.status !== undefined) {
    const retryAfterMs = readRetryAfter(error.headers, nowMs);
    return failureOf(asked, { status: error.status, body: refusal, retryAfterMs });
  }
  const { label } = asked.provider;
  if (error instanceof APIConnectionError) {
    const text = `${label} could not be reached. Check ${settingNames(asked.provider).url}, and that the server there is running.`;
    return new Failure(new HandrailError("model_error", text, { retryable: true }), { retry: true });
  }
  const text = `The request to ${label} could not be made. Check ${settingNames(asked.provider).url}.`;
  return new Failure(new HandrailError("model_error", text, { cause: error }), { retry: false });
}

/** `retry-after-ms`, or `Retry-After` in seconds or as a date, in milliseconds from now. */
export function readRetryAfter(headers: Headers | undefined, nowMs: number): number | undefined {
  const ms = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (ms >= 0) return ms;
  const value = headers?.get("retry-after");
  if (!value) return undefined;
  const seconds = Number(value);
  const wait = Number.isNaN(seconds) ? Date.parse(value) - nowMs : seconds * 1000;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
