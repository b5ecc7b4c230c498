// What one chunk of a chat completion says, out of the many places where providers put it.
import { isObject, isRecord } from "../../../shared/is-record.ts";
import { ReasoningField } from "../../../shared/message.ts";
import { type JsonRecord, textOf } from "../json-value.ts";

/** A piece of a tool call; every field may be missing. */
export interface CallFragment {
  index?: number;
  id: string;
  name: string;
  /** Text to append; an object came whole. */
  arguments: string;
  whole: boolean;
  /** `extra_content`, which goes back with the call: Gemini's thought signature. */
  extra?: JsonRecord;
}

export interface ProviderUsage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  /** Input tokens written to the cache at a price of its own; absent if there are none. */
  writtenTokens?: number;
}

export interface ChunkFields {
  text: string;
  reasoning: string;
  /** Where the reasoning was, or where an empty one was. */
  reasoningField?: ReasoningField;
  /** OpenRouter's `reasoning_details`, in pieces; or what another wire wants back, whole. */
  details?: JsonRecord[];
  fragments: CallFragment[];
  /** As the provider spells it. */
  finish?: string | undefined;
  usage?: ProviderUsage | undefined;
  /** `body`: as it came. */
  error?: { message: string; code: string; status?: number; body?: JsonRecord } | undefined;
  /** The chunk carried a whole message instead of a delta. */
  whole: boolean;
  /** Nothing follows. */
  over?: boolean;
}

/** Reads the chunks of one answer, in their order. Unknown fields are skipped, missing ones are empty: never throws. */
export type ReadChunk = (chunk: JsonRecord) => ChunkFields;

const none: CallFragment[] = [];

export function noFields(): ChunkFields {
  return { text: "", reasoning: "", fragments: none, whole: false };
}

/** A piece of a call, from fields that may be missing or of another type. */
export function piece(of: {
  index: unknown;
  id?: unknown;
  name?: unknown;
  arguments?: unknown;
}): CallFragment {
  return {
    ...(typeof of.index === "number" ? { index: of.index } : {}),
    ...{ id: textOf(of.id), name: textOf(of.name), arguments: textOf(of.arguments), whole: false },
  };
}

/** One of chat completions. */
export const readChunk: ReadChunk = (chunk) => {
  const choice = firstChoice(chunk.choices);
  const whole = choice !== undefined && !isRecord(choice.delta) && isRecord(choice.message);
  const delta = whole ? choice.message : choice?.delta;
  const fields: ChunkFields = { ...noFields(), whole };
  if (isRecord(delta)) readDelta(delta, fields);
  const native = textOf(choice?.native_finish_reason);
  // OpenRouter says a plain stop beside it: OleksandrChekhovskyi/hax#15 (2026-08).
  const finish = native === "network_error" || native === "error" ? native : textOf(choice?.finish_reason);
  if (finish !== "") fields.finish = finish;
  const usage =
    readUsage(chunk.usage) ?? (isRecord(chunk.x_groq) ? readUsage(chunk.x_groq.usage) : undefined);
  if (usage !== undefined) fields.usage = usage;
  const error = readError(chunk.error ?? choice?.error ?? (chunk.object === "error" ? chunk : undefined));
  if (error !== undefined) fields.error = error;
  return fields;
};

/** Only the first choice counts: one was asked for. */
function firstChoice(choices: unknown): JsonRecord | undefined {
  if (!Array.isArray(choices)) return undefined;
  const choice: unknown = choices.find((item: unknown) => isRecord(item) && (item.index ?? 0) === 0);
  return isRecord(choice) ? choice : undefined;
}

function readDelta(delta: JsonRecord, fields: ChunkFields): void {
  if (typeof delta.content === "string") fields.text = delta.content;
  else if (Array.isArray(delta.content)) readParts(delta.content, fields);
  if (fields.text === "") fields.text = textOf(delta.refusal);
  readReasoning(delta, fields);
  const { tool_calls: calls, function_call: old } = delta;
  if (Array.isArray(calls)) fields.fragments = calls.flatMap((call: unknown) => readFragment(call) ?? []);
  else if (isRecord(calls) || isRecord(old))
    fields.fragments = [readFragment(calls ?? old)].flatMap((call) => call ?? []);
}

/** deepseek, xai: reasoning_content; groq, openrouter, ollama: reasoning. Some send the same text in two. */
function readReasoning(delta: JsonRecord, fields: ChunkFields): void {
  for (const field of ReasoningField.options) {
    const said = delta[field];
    if (typeof said !== "string" || fields.reasoning !== "") continue;
    if (said !== "" || fields.reasoningField === undefined) fields.reasoningField = field;
    fields.reasoning = said;
  }
  if (!Array.isArray(delta.reasoning_details)) return;
  fields.details = delta.reasoning_details.filter(isRecord);
  fields.reasoning ||= joinTexts(fields.details);
}

/** Content as a list of parts: mistral's thinking, and what else has the same form. */
function readParts(parts: unknown[], fields: ChunkFields): void {
  for (const part of parts) {
    if (typeof part === "string") fields.text += part;
    if (!isRecord(part)) continue;
    if (part.type === "thinking" || part.type === "reasoning") {
      const inner = part.thinking ?? part.reasoning ?? part.text;
      fields.reasoning += Array.isArray(inner) ? joinTexts(inner) : textOf(inner);
    } else {
      fields.text += textOf(part.text);
    }
  }
}

function joinTexts(parts: unknown[]): string {
  return parts
    .map((part) => (isRecord(part) ? textOf(part.text) || textOf(part.summary) : textOf(part)))
    .join("");
}

function readFragment(call: unknown): CallFragment | undefined {
  if (!isRecord(call)) return undefined;
  const body = isRecord(call.function) ? call.function : call;
  const args = body.arguments ?? body.parameters;
  const whole = isObject(args);
  return {
    ...(typeof call.index === "number" ? { index: call.index } : {}),
    id: typeof call.id === "number" ? String(call.id) : textOf(call.id),
    name: textOf(body.name),
    arguments: whole ? JSON.stringify(args) : textOf(args),
    whole,
    ...(isRecord(call.extra_content) ? { extra: call.extra_content } : {}),
  };
}

/** Reads the usage that any wire reports. */
export function readUsage(usage: unknown): ProviderUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const { prompt_tokens_details, input_tokens_details = prompt_tokens_details } = usage;
  const details = isRecord(input_tokens_details) ? input_tokens_details : {};
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  const counted = numberOf(usage.prompt_tokens, usage.input_tokens);
  // Anthropic counts tokens read from its cache and written to it separately from other input.
  const writtenTokens = numberOf(written, details.cache_write_tokens) ?? 0;
  const apart = (numberOf(read) ?? 0) + writtenTokens;
  const inputTokens = counted === undefined || usage.prompt_tokens !== undefined ? counted : counted + apart;
  const outputTokens = numberOf(usage.completion_tokens, usage.output_tokens);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    cachedTokens:
      numberOf(details.cached_tokens, usage.prompt_cache_hit_tokens, usage.cached_tokens, read) ?? 0,
    ...(writtenTokens > 0 ? { writtenTokens } : {}),
  };
}

const maxTokens = 1e12;

function numberOf(...values: unknown[]): number | undefined {
  // What no request has could not be reckoned with: an infinite price is no JSON.
  return values.find(
    (value): value is number => typeof value === "number" && value >= 0 && value < maxTokens,
  );
}

export function readError(error: unknown): ChunkFields["error"] {
  if (typeof error === "string" && error !== "") return { message: error, code: "" };
  if (!isRecord(error)) return undefined;
  const code = error.code ?? error.type ?? "";
  const status = numberOf(error.status, error.status_code, error.code, Number.parseInt(String(code), 10));
  return {
    message: textOf(error.message) || textOf(error.detail) || "no reason given",
    code: String(code),
    body: error,
    ...(status !== undefined && status >= 400 && status < 600 ? { status } : {}),
  };
}
