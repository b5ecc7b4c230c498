// Requests that OpenAI's Responses API answers with 400, in its own words.
// https://platform.openai.com/docs/api-reference/responses (read 2026-11)
import { sealOf } from "./seal.ts";

interface Item {
  type?: string;
  role?: string;
  id?: string;
  call_id?: string;
  name?: string;
  arguments?: string;
  content?: unknown;
  summary?: unknown[];
  encrypted_content?: string;
}

interface Body {
  model: string;
  input: Item[];
  tools?: { type: string; name?: string; strict?: boolean; parameters?: object }[];
  include?: string[];
  store?: boolean;
  reasoning?: { effort?: string; summary?: string };
  temperature?: number;
  max_output_tokens?: number;
}

const fields =
  /^(model|input|instructions|tools|tool_choice|parallel_tool_calls|include|store|reasoning|text|temperature|top_p|max_output_tokens|prompt_cache_key|prompt_cache_retention|safety_identifier|service_tier|stream|truncation|metadata)$/;

export interface ResponsesRules {
  /** The organization is not verified, so there are no summaries. */
  unverified?: boolean;
}

export interface ResponsesProblem {
  message: string;
  status?: number;
  code?: string;
  param?: string;
}

/** Undefined if the request is valid. */
export function responsesProblem(sent: unknown, rules: ResponsesRules = {}): ResponsesProblem | undefined {
  const body = sent as Body;
  const unknown = Object.keys(body).find((name) => !fields.test(name));
  if (unknown)
    return { message: `Unknown parameter: '${unknown}'.`, param: unknown, code: "unknown_parameter" };
  return settingsProblem(body, rules) ?? toolsProblem(body) ?? inputProblem(body);
}

function settingsProblem(
  { model, reasoning, include, temperature, max_output_tokens: most = 16 }: Body,
  { unverified }: ResponsesRules,
) {
  const thinks = /^(gpt-5|o\d|codex)/.test(model);
  const unsupported = (param: string) => ({
    message: `Unsupported parameter: '${param}' is not supported with this model.`,
    param,
  });
  if (thinks && temperature !== undefined) return unsupported("temperature");
  if (!thinks && reasoning?.effort) return unsupported("reasoning.effort");
  if (!thinks && reasoning?.summary) return unsupported("reasoning.summary");
  // OpenHands/software-agent-sdk#1208 (2025-11)
  if (!thinks && include?.includes("reasoning.encrypted_content"))
    return { message: "Encrypted content is not supported with this model.", param: "include" };
  if (unverified && reasoning?.summary)
    return {
      message:
        "Your organization must be verified to generate reasoning summaries. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization.",
      param: "reasoning.summary",
      code: "unsupported_value",
    };
  return most < 16
    ? { message: "Invalid 'max_output_tokens': integer below minimum value.", param: "max_output_tokens" }
    : undefined;
}

function toolsProblem({ tools = [] }: Body): ResponsesProblem | undefined {
  for (const [index, { type, name, strict }] of tools.entries()) {
    if (type !== "function" || !name)
      return {
        message: `Missing required parameter: 'tools[${index}].name'.`,
        param: `tools[${index}].name`,
      };
    if (strict !== false)
      return {
        message: `Invalid schema for function '${name}': In context=(), 'additionalProperties' is required to be supplied and to be false.`,
        code: "invalid_function_parameters",
      };
  }
  return undefined;
}

function inputProblem({ model, input, store }: Body): ResponsesProblem | undefined {
  const outputs = new Set(
    input.flatMap(({ type, call_id }) => (type === "function_call_output" ? call_id : [])),
  );
  const calls = new Set<unknown>();
  for (const [index, item] of input.entries()) {
    const { type = "message", id, call_id = "" } = item;
    if (id && store === false)
      return {
        status: 404,
        message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
      };
    if (/^function_call/.test(type) && call_id.length > 64)
      return {
        message: `Invalid 'input[${index}].call_id': string too long. Expected a string with maximum length 64, but got a string with length ${call_id.length} instead.`,
        code: "string_above_max_length",
      };
    if (type === "function_call") {
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(item.name ?? ""))
        return { message: `Invalid 'input[${index}].name': string does not match pattern.` };
      if (!outputs.has(call_id)) return { message: `No tool output found for function call ${call_id}.` };
      calls.add(call_id);
    }
    if (type === "function_call_output" && !calls.has(call_id))
      return { message: `No tool call found for function call output with call_id ${call_id}.` };
    if (type === "reasoning") {
      const sealed = sealOf(model, JSON.stringify(item.summary));
      if (item.encrypted_content !== sealed)
        return {
          message: `The encrypted content ${item.encrypted_content?.slice(0, 4)}... could not be verified.`,
          code: "invalid_encrypted_content",
        };
      const next = input[index + 1];
      if (next?.type !== "reasoning" && next?.type !== "function_call" && next?.role !== "assistant")
        return { message: "Item of type 'reasoning' was provided without its required following item." };
    }
    if (type === "message" && !/^(user|assistant|system|developer)$/.test(item.role ?? ""))
      return { message: `Invalid value: '${item.role}'.` };
  }
  return undefined;
}
