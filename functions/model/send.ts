// Sends one request to a provider in any wire format, and returns the raw response.
import { HandrailError } from "../../shared/errors.ts";
import { version } from "../../shared/version.ts";
import { beginningOf } from "./body-reader.ts";
import { type Answered, Failure, type SentRequest } from "./failure.ts";
import { parseRecord } from "./json-value.ts";
import { settingNames } from "./presets.ts";
import type { Provider } from "./provider.ts";
import type { Wire } from "./wires/wire.ts";

/** How much of a refusal's body to read; the rest adds nothing new. */
const maxRefusalChars = 20_000;

export interface Send {
  fetch: typeof fetch;
  now(): number;
  provider: Provider;
  modelId: string;
  apiKey: string | undefined;
  /** Whether `apiKey` is the person's own. */
  ownKey: boolean;
  wire: Wire;
  body: Record<string, unknown>;
  /** Whether `body` contains images. */
  withImages: boolean;
  signal: AbortSignal;
}

/** The response to a streaming request. Throws Failure for any status other than 2xx. */
export async function send(request: Send): Promise<Response> {
  const { fetch, now, provider, wire, signal } = request;
  const headers = headersOf(request);
  let response: Response;
  try {
    response = await fetch(provider.baseUrl + wire.path(provider.baseUrl), {
      method: "POST",
      headers,
      body: JSON.stringify(request.body),
      redirect: "manual",
      signal,
    });
  } catch (error) {
    throw notSent(provider, error);
  }
  if (response.ok) return response;
  const retryAfterMs = readRetryAfter(response.headers, now());
  const text = await beginningOf(response, maxRefusalChars);
  // Gemini wraps its error in a list.
  const body = parseRecord(text) ?? parseRecord(text.trim().slice(1, -1)) ?? text;
  throw await failureOf(askedOf(request), { status: response.status, body, retryAfterMs });
}

/** The failure that a status and an error body mean. */
export async function failureOf(asked: SentRequest, answered: Answered): Promise<Failure> {
  const { refusal } = await import("./refusal.ts");
  return refusal(asked, answered);
}

/** The headers contain nothing that describes this machine. */
function headersOf({ apiKey, provider, modelId, wire }: Send): Headers {
  const headers = new Headers({
    ...provider.models.find(({ id }) => id === modelId)?.headers,
    // The same value as the openai package sends, even for streams: some gateways respond with 406 to anything else.
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": `Handrail/${version}`,
  });
  try {
    for (const [name, value] of Object.entries(apiKey ? wire.keyHeaders(apiKey) : {}))
      headers.set(name, value);
  } catch {
    const text = `The API key for ${provider.label} has characters that a header cannot contain. Check ${settingNames(provider).key}.`;
    throw new Failure(new HandrailError("model_error", text), { retry: false });
  }
  return headers;
}

/** What the message of a failure needs to know about a request. */
export function askedOf({
  provider,
  modelId,
  apiKey,
  ownKey,
  withImages,
}: Omit<Send, "fetch" | "now" | "wire" | "body" | "signal">): SentRequest {
  return { provider, modelId, withKey: Boolean(apiKey), ownKey, secret: apiKey || undefined, withImages };
}

function notSent(provider: Provider, cause: unknown): Failure {
  const { url } = settingNames(provider);
  const text = `${provider.label} could not be reached. Check ${url}, and that the server there is running.`;
  return new Failure(new HandrailError("model_error", text, { cause, retryable: true }), { retry: true });
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
