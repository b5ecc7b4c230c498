// The meaning of a provider's refusal: the message for the person, whether to retry, and what to leave out then.

import { HandrailError } from "../../shared/errors.ts";
import { isRecord } from "../../shared/is-record.ts";
import { type Answered, Failure, type SentRequest } from "./failure.ts";
import { parseRecord, stringOrEmpty } from "./json-value.ts";
import { settingNames } from "./presets.ts";
import { refusedPart } from "./refused-part.ts";

/** The failure that a status and an error body mean. */
export function refusal(asked: SentRequest, answered: Answered): Failure {
  const { status } = answered;
  const { message, code, param } = readBody(answered.body);
  const waitMs = waitIn(message) ?? delayIn(answered.body);
  const { retryAfterMs = waitMs } = answered;
  const said = quote(message, asked.secret);
  const passes = status >= 500 || (status === 0 && isTemporary(code, message));
  const fail = (text: string, details: Record<string, unknown> = {}) =>
    new HandrailError("model_error", text, { retryable: passes, details: { status, ...details } });

  if (isContextLength(status, code, message)) {
    return new Failure(
      fail(`The conversation is longer than ${asked.modelId} takes${said}`, {
        reason: "context_length",
      }),
      { retry: false },
    );
  }
  const misspoke = misspokenIn(code, message, answered.body);
  if (misspoke !== undefined)
    return new Failure(
      fail(`${asked.modelId} wrote a call that ${asked.provider.label} could not read${said}`),
      {
        retry: true,
        misspoke,
      },
    );
  const refused = refusedPart(status, message, param, asked.withImages);
  if (refused !== undefined)
    return new Failure(fail(`${asked.provider.label} refused the request${said}`), { retry: false, refused });
  // Gemini mentions billing in every rate limit, but names a delay only in temporary ones.
  const noCredit = waitMs === undefined ? /insufficient_quota|billing|credit/i : /insufficient_quota/;
  if (status === 429 && !noCredit.test(`${code} ${message}`)) {
    const limited = new HandrailError(
      "rate_limited",
      `${asked.provider.label} is limiting requests (429). Wait ${retryAfterMs && retryAfterMs > 1_000 ? `${Math.ceil(retryAfterMs / 1000)} seconds` : "a moment"} and try again.`,
      {
        details: { ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
      },
    );
    return new Failure(limited, { retry: true, patient: true, retryAfterMs });
  }
  const words = plainWords(asked, status, message);
  if (words !== undefined)
    return new Failure(fail(`${words}${status === 401 || said === "" ? "" : ` It says${said}`}`), {
      retry: false,
    });
  const retry = passes || status === 408 || status === 409;
  return new Failure(fail(`${asked.provider.label} answered ${status || "with an error"}${said}`), {
    retry,
    patient: passes,
    retryAfterMs,
  });
}

/** Redirects, 401 to 404, and accounts without credit: messages that say which setting to change. */
function plainWords(
  { provider, modelId, withKey, ownKey }: SentRequest,
  status: number,
  message: string,
): string | undefined {
  const { key, model, url } = settingNames(provider);
  const own = `the key that you gave for ${provider.label} in Settings`;
  if (status === 402 || status === 429 || (status === 400 && /credit balance/i.test(message)))
    return `The account at ${provider.label} has no credit left (${status}). Add credit there, or change ${ownKey ? own : key} to the key of another account.`;
  switch (status) {
    case 401:
      if (ownKey) return `${provider.label} did not accept ${own} (401). Change it there.`;
      return withKey
        ? `${provider.label} did not accept the API key (401). Change ${key} on the server, or send a key of your own (on the phone: Settings, Model).`
        : `${provider.label} asks for an API key (401). Set ${key} on the server, or send a key of your own (on the phone: Settings, Model).`;
    case 403:
      return `${provider.label} does not let this key use ${modelId} (403). Choose another model (${model}), or check what ${ownKey ? own : key} may do.`;
    case 404:
      return `${provider.label} has no model ${modelId}, or nothing answers at its address (404). Check ${model} and ${url}.`;
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      return `${provider.label} redirects to another address (${status}), which is not followed. Set ${url} to the address that answers.`;
    default:
      return undefined;
  }
}

/** For an error inside a stream without a status: its code or type decides before its message. */
function isTemporary(code: string, message: string): boolean {
  return /^((internal_?)?server|api|timeout)_?error$|overloaded|time_?out|timed out|unavailable|try again/i.test(
    code || message,
  );
}

function isContextLength(status: number, code: string, message: string): boolean {
  if (code === "context_length_exceeded" || status === 413) return true;
  // Groq and OpenAI respond with 429 if a request is larger than the tokens allowed per minute; no pause would help.
  if (status === 429) return /request too large|reduce your message size/i.test(message);
  if (status !== 400 && status !== 422 && status !== 0 && status !== 500) return false;
  return /context[_ ](length|window|size|limit)|maximum (context|prompt|input)|prompt is too long|input is too long|too many (input )?tokens|reduce the length|maximum number of tokens|must have less than \d+ tokens|(exceed\w*|greater than) ([\w']+ ){0,3}token (limit|size)|input length should be|prompt exceeds|max_new_tokens\W* must be <=|max_tokens must be at least 1, got -/i.test(
    message,
  );
}

/**
 * If Groq cannot parse a tool call in the model's text, it returns that text; so does Ollama, as a server error.
 * https://console.groq.com/docs/tool-use (read 2026-11); ollama/ollama#17638 (2026-08), continuedev/continue#10221
 */
function misspokenIn(code: string, message: string, body: unknown): string | undefined {
  const [, raw] = /error parsing tool call: raw='([\s\S]*)', err=/.exec(message) ?? [];
  if (raw !== undefined) return raw;
  if (code !== "tool_use_failed" && !/failed_generation/.test(message)) return undefined;
  const error = isRecord(body) && isRecord(body.error) ? body.error : isRecord(body) ? body : {};
  return stringOrEmpty(error.failed_generation);
}

function readBody(body: unknown): { message: string; code: string; param: string } {
  if (!isRecord(body)) return { message: stringOrEmpty(body), code: "", param: "" };
  const inner = isRecord(body.error) ? body.error : body;
  const message =
    stringOrEmpty(inner.message) ||
    stringOrEmpty(body.error) ||
    stringOrEmpty(inner.detail) ||
    stringOrEmpty(body.detail);
  return {
    message: [message || JSON.stringify(body), rawWords(inner)].filter(Boolean).join(": "),
    code: String(inner.code ?? inner.type ?? ""),
    param: stringOrEmpty(inner.param),
  };
}

/**
 * OpenRouter also passes on the original message of the provider that it asked.
 * https://openrouter.ai/docs/api-reference/errors
 */
function rawWords({ metadata }: Record<string, unknown>): string {
  const raw = isRecord(metadata) ? stringOrEmpty(metadata.raw) : "";
  const parsed = parseRecord(raw);
  return parsed === undefined ? raw : readBody(parsed).message;
}

/**
 * The delay that a message asks for, in milliseconds: "retry in 12.5s", "try again in 1m30s", "retry after 20 seconds".
 */
function waitIn(message: string): number | undefined {
  const match =
    /(?:try(?: again)?|reset) (?:in|after) (?:(\d+)h)?(?:(\d+)m)?(\d+(?:\.\d+)?) ?s(?:ec|\b)/i.exec(message);
  if (match === null) return undefined;
  const [, hours = 0, minutes = 0, seconds = 0] = match;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

/**
 * The delay that an error's fields ask for, in milliseconds. Gemini: `details[].retryDelay`, "39s"
 * (https://cloud.google.com/apis/design/errors#error_details); OpenRouter: `metadata.retry_after_seconds`.
 */
function delayIn(body: unknown): number | undefined {
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const details = Array.isArray(error.details) ? error.details.filter(isRecord) : [];
  const { retry_after_seconds: after } = isRecord(error.metadata) ? error.metadata : {};
  const delay = details.map(({ retryDelay }) => stringOrEmpty(retryDelay)).find((text) => text !== "");
  const seconds = typeof after === "number" ? after : Number.parseFloat(delay ?? "");
  return seconds >= 0 ? seconds * 1000 : undefined;
}

/** The provider's own message, shortened to one line, without anything that looks like a key. */
function quote(message: string, secret: string | undefined): string {
  const bare = (secret ? message.replaceAll(secret, "[key]") : message)
    .replace(/\b(sk|pk|gsk|xai|key)[-_][\w*-]{6,}/gi, "[key]")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  if (bare === "") return ".";
  return `: ${bare.length > 300 ? `${bare.slice(0, 300)}…` : bare}`;
}
