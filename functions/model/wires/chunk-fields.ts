// Reads one chunk of a chat completion from the many fields in which providers put its content.
import { isObject, isRecord } from "../../../shared/is-record.ts";
import { ReasoningField } from "../../../shared/message.ts";
import { type JsonRecord, stringOrEmpty } from "../json-value.ts";

/** A piece of a tool call; every field may be missing. */
export interface CallFragment {
  index?: number;
  id: string;
  name: string;
  /** Text to append. `whole`: the arguments came complete, as an object. */
  arguments: string;
  whole: boolean;
  /** `extra_content`, which is sent back with the call: Gemini's thought signature. */
  extra?: JsonRecord;
}

export interface ProviderUsage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  /** Input tokens that were written to the cache at a separate price; absent if there are none. */
  writtenTokens?: number;
}

export interface ChunkFields {
  text: string;
  reasoning: string;
  /** The field that contained the reasoning, even if it was empty. */
  reasoningField?: ReasoningField;
  /** OpenRouter's `reasoning_details` in pieces, or, for another wire format, complete details to send back. */
  details?: JsonRecord[];
  fragments: CallFragment[];
  /** In the provider's spelling. */
  finish?: string | undefined;
  usage?: ProviderUsage | undefined;
  /** `body`: the error as it was received. */
  error?: { message: string; code: string; status?: number; body?: JsonRecord } | undefined;
  /** The chunk carried a whole message instead of a delta. */
  whole: boolean;
  /** Nothing follows this chunk. */
  over?: boolean;
}

/**
 * Reads the chunks of one answer, in their order. Unknown fields are skipped and missing ones count as empty; it never
 * throws.
 */
export type ReadChunk = (chunk: JsonRecord) => ChunkFields;

const none: CallFragment[] = [];

export function noFields(): ChunkFields {
  return { text: "", reasoning: "", fragments: none, whole: false };
}

/** A piece of a call, built from fields that may be missing or have another type. */
export function piece(of: {
  index: unknown;
  id?: unknown;
  name?: unknown;
  arguments?: unknown;
}): CallFragment {
  return {
    ...(typeof of.index === "number" ? { index: of.index } : {}),
    ...{
      id: stringOrEmpty(of.id),
      name: stringOrEmpty(of.name),
      arguments: stringOrEmpty(of.arguments),
      whole: false,
    },
  };
}

/** Reads a chunk of chat completions. */
export const readChunk: ReadChunk = (chunk) => {
  const choice = firstChoice(chunk.choices);
  const whole = choice !== undefined && !isRecord(choice.delta) && isRecord(choice.message);
  const delta = whole ? choice.message : choice?.delta;
  const fields: ChunkFields = { ...noFields(), whole };
  if (isRecord(delta)) readDelta(delta, fields);
  const native = stringOrEmpty(choice?.native_finish_reason);
  // OpenRouter sends a normal stop next to it: OleksandrChekhovskyi/hax#15 (2026-08).
  const finish =
    native === "network_error" || native === "error" ? native : stringOrEmpty(choice?.finish_reason);
  if (finish !== "") fields.finish = finish;
  const usage =
    readUsage(chunk.usage) ?? (isRecord(chunk.x_groq) ? readUsage(chunk.x_groq.usage) : undefined);
  if (usage !== undefined) fields.usage = usage;
  const error = readError(chunk.error ?? choice?.error ?? (chunk.object === "error" ? chunk : undefined));
  if (error !== undefined) fields.error = error;
  return fields;
};

/** Only the first choice counts, because only one was requested. */
function firstChoice(choices: unknown): JsonRecord | undefined {
  if (!Array.isArray(choices)) return undefined;
  const choice: unknown = choices.find((item: unknown) => isRecord(item) && (item.index ?? 0) === 0);
  return isRecord(choice) ? choice : undefined;
}

function readDelta(delta: JsonRecord, fields: ChunkFields): void {
  if (typeof delta.content === "string") fields.text = delta.content;
  else if (Array.isArray(delta.content)) readParts(delta.content, fields);
  if (fields.text === "") fields.text = stringOrEmpty(delta.refusal);
  readReasoning(delta, fields);
  const { tool_calls: calls, function_call: old } = delta;
  if (Array.isArray(calls)) fields.fragments = calls.flatMap((call: unknown) => readFragment(call) ?? []);
  else if (isRecord(calls) || isRecord(old))
    fields.fragments = [readFragment(calls ?? old)].flatMap((call) => call ?? []);
}

/**
 * DeepSeek and xAI use reasoning_content; Groq, OpenRouter and Ollama use reasoning. Some send the same text in both.
 */
function readReasoning(delta: JsonRecord, fields: ChunkFields): void {
  for (const field of ReasoningField.def.values) {
    const said = delta[field];
    if (typeof said !== "string" || fields.reasoning !== "") continue;
    if (said !== "" || fields.reasoningField === undefined) fields.reasoningField = field;
    fields.reasoning = said;
  }
  if (!Array.isArray(delta.reasoning_details)) return;
  fields.details = delta.reasoning_details.filter(isRecord);
  fields.reasoning ||= joinTexts(fields.details);
}

/** Content as a list of parts, as Mistral sends its thinking, and others that use the same form. */
function readParts(parts: unknown[], fields: ChunkFields): void {
  for (const part of parts) {
    if (typeof part === "string") fields.text += part;
    if (!isRecord(part)) continue;
    if (part.type === "thinking" || part.type === "reasoning") {
      const inner = part.thinking ?? part.reasoning ?? part.text;
      fields.reasoning += Array.isArray(inner) ? joinTexts(inner) : stringOrEmpty(inner);
    } else {
      fields.text += stringOrEmpty(part.text);
    }
  }
}

function joinTexts(parts: unknown[]): string {
  return parts
    .map((part) =>
      isRecord(part) ? stringOrEmpty(part.text) || stringOrEmpty(part.summary) : stringOrEmpty(part),
    )
    .join("");
}

function readFragment(call: unknown): CallFragment | undefined {
  if (!isRecord(call)) return undefined;
  const body = isRecord(call.function) ? call.function : call;
  const args = body.arguments ?? body.parameters;
  const whole = isObject(args);
  return {
    ...(typeof call.index === "number" ? { index: call.index } : {}),
    id: typeof call.id === "number" ? String(call.id) : stringOrEmpty(call.id),
    name: stringOrEmpty(body.name),
    arguments: whole ? JSON.stringify(args) : stringOrEmpty(args),
    whole,
    ...(isRecord(call.extra_content) ? { extra: call.extra_content } : {}),
  };
}

/** Reads the usage of any wire format. */
export function readUsage(usage: unknown): ProviderUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const { prompt_tokens_details, input_tokens_details = prompt_tokens_details } = usage;
  const details = isRecord(input_tokens_details) ? input_tokens_details : {};
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  const counted = numberOf(usage.prompt_tokens, usage.input_tokens);
  // Anthropic does not include cache reads and writes in its number of input tokens.
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
  // Impossible numbers are ignored: an infinite price cannot be written as JSON.
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
    message: stringOrEmpty(error.message) || stringOrEmpty(error.detail) || "no reason given",
    code: String(code),
    body: error,
    ...(status !== undefined && status >= 400 && status < 600 ? { status } : {}),
  };
}
