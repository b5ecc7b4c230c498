// Finds the part of a request that a provider's message refuses.
import type { Refused } from "./provider.ts";

/** The refused feature, if it can be left out. `status` 0 = the error came inside a stream. */
export function refusedPart(
  status: number,
  message: string,
  param: string,
  withImages: boolean,
): Refused | undefined {
  if (status === 401 || status === 402 || status === 403 || status === 429) return undefined;
  if (/roles? must alternate|system role (is )?not supported|only user and assistant roles/i.test(message))
    return "roles";
  // Mistral: "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9"; Anthropic: "tool_use.id: String should
  // match pattern" (anomalyco/opencode#1680, 2025-08; Aider-AI and Cline report the same).
  if (/tool.?call.?id\b.*must be|tool_(use|call)s?[\w.[\]]*\.?id\b.*(pattern|invalid|length)/i.test(message))
    return "call_ids";
  if (
    /unexpected role '?user'? after role '?tool|after (a )?tool (message|result)|'?tool'? .*followed by .*assistant/i.test(
      message,
    )
  )
    return "user_after_tool";
  if (foreignThoughts.test(message)) return "thoughts ";
  if (/response_format|json_schema|\bgrammar\b|structured.?output/i.test(param + message))
    return "response_format";
  const reasoning = refusedReasoning(`${message} ${param}`) ?? refusedByWire(message, param);
  if (reasoning !== undefined) return reasoning;
  // DeepSeek and Groq only say that content must be text.
  if (withImages && /image|vision|multi-?modal|(must be|expected) (a |`)?(string|text)/i.test(message))
    return "images";
  if (unsupported.test(message)) {
    if (/temperature/i.test(param + message)) return "temperature";
    if (/reasoning(_|\.)?effort|effort parameter/i.test(param + message)) return "reasoning_effort";
    if (/prompt_cache_key/i.test(param + message)) return "prompt_cache_key";
    if (/cache_control/i.test(param + message)) return "cache_control";
    if (/stream_options|include_usage/i.test(param + message)) return "stream_options";
  }
  return refusesTools(message, param) ? "tools" : undefined;
}

/**
 * DeepSeek: "Missing `reasoning_content` field", "must be passed back"; Moonshot: "reasoning_content is missing in
 * assistant tool call message" (continuedev/continue#9606, 2026-01; anomalyco/opencode#24722, 2026-04; kimi-cli#2498,
 * 2026-07), "must include reasoning_content" (esengine/DeepSeek-Reasonix#6173); MiMo says it in `param` (earendil-works/pi#4504).
 * Groq, Cerebras, Mistral: no such field (janhq/jan#8136, 2026-05; charmbracelet/crush#1590, 2025-12). Gemini:
 * "Function call is missing a thought_signature" (ai.google.dev/gemini-api/docs/thought-signatures).
 */
function refusedReasoning(message: string): Refused | undefined {
  if (/missing an? `?thought_?signature/i.test(message)) return "missing_signatures";
  // gpt-oss in LM Studio: lmstudio-ai/lmstudio-bug-tracker#842 (2025-08).
  if (/both content and thinking/i.test(message)) return "reasoning";
  if (!/reasoning(_content|_details|_text)?\b(?!_?effort)/i.test(message)) return undefined;
  if (/missing|must (be passed back|include)|requires reasoning_content/i.test(message))
    return "missing_reasoning";
  const inMessage = /messages?\b.{0,80}reasoning(_content|_details|_text)?\b|reasoning_(content|details)\b/is;
  return inMessage.test(message) && unsupported.test(message) ? "reasoning" : undefined;
}

/**
 * Anthropic: "Invalid `signature` in `thinking` block", "cannot be modified", "Expected `thinking`, but found `tool_use`"
 * (openclaw/openclaw#99382, anthropics/claude-code#63284, 2026); OpenAI: "encrypted content … could not be verified"
 * (openai/codex#8145, 2025-12), "Item with id 'rs_…' not found" (vercel/ai#7543, 2025-07), "without its required following item";
 * Codex' backend: "Unsupported content type" (earendil-works/pi#6022, 2026-06).
 */
const foreignThoughts =
  /invalid `?signature|signature: field required|thinking`? blocks .*cannot be modified|expected `?(redacted_)?thinking|encrypted content .*could not be (verified|decrypted)|item with id 'rs_|'reasoning' was provided without|^unsupported content type$/i;

/** Features of one wire format that the provider refuses. */
function refusedByWire(message: string, param: string): Refused | undefined {
  // openai/openai-openapi#541 (2026-05); for models that only the Responses API serves, the status is 404.
  if (/\/v1\/responses|only supported in v1\/responses/i.test(message)) return "chat_completions";
  // Organizations that are not verified get no summaries: https://help.openai.com/en/articles/10910291 (read 2026-11)
  if (/reasoning.?summar/i.test(param + message)) return "reasoning_summary";
  // OpenHands/software-agent-sdk#1208 (2025-11)
  if (
    /encrypted content is not supported/i.test(message) ||
    (unsupported.test(message) && /\binclude\b/i.test(param + message))
  )
    return "encrypted_reasoning";
  // elizaOS/eliza#16175 (2026-07); HXYerror/copilot-api#45 (2026-05)
  if (/adaptive thinking is not supported/i.test(message)) return "adaptive_thinking";
  if (/thinking\.type\.enabled"? is not supported/i.test(message)) return "budget_thinking";
  return /max_tokens: \d+ > \d+/.test(message) ? "long_output" : undefined;
}

const unsupported =
  /support|unknown|unrecogni[sz]ed|unexpected|extra (inputs|fields)|not (allowed|permitted|available|enabled)|only the default|only \S+ is allowed|cannot both be|deprecated/i;

const toolsName = String.raw`(tools|tool[ _-]?(use|choice|calls?|calling)|function[ _-]?call(s|ing)?|functions)(?![-.[\w])`;
/** In this order: Ollama, OpenRouter; Groq, Gemini, OpenAI; vLLM and llama.cpp; unknown fields; Llama's template. */
const toolRefusals = new RegExp(
  [
    String.raw`(not|n't|no endpoints found that) support (\w+ ){0,3}["'\`]?(tool\b(?![-.\w])|${toolsName})`,
    String.raw`\b${toolsName}["'\`]?( ['"\`\w]+){0,4}? (not (currently |yet )?(supported|enabled)|unsupported)`,
    String.raw`\b${toolsName}["'\`]? (is|are) not (allowed|permitted|available)`,
    String.raw`\btool[^.;]{0,30} requires? ["'\`]?--|unsupported tool_call_parser|only supports single tool`,
    String.raw`un(known|supported|recogni[sz]ed|expected)[ a-z]* (parameter|argument|field|name|key|property)[ ():a-z]{0,20}["'\`]?(tools|tool_choice|functions)(?![-.\w])`,
    String.raw`\b(tools|tool_choice|functions)["'\`]? was unexpected`,
    String.raw`extra (inputs|fields)[^{]*: (tools|tool_choice)\b|\b(tools|tool_choice)["'\`:].{0,60}extra (inputs|fields)`,
  ].join("|"),
  "i",
);

/**
 * Whether the provider refuses native calls in general, rather than one call, its result, or a model of that name. The
 * answer is remembered for the conversation.
 */
function refusesTools(message: string, param: string): boolean {
  return toolRefusals.test(message) || (/^tool(s|_choice)$/.test(param) && unsupported.test(message));
}
