// Requests that Anthropic's Messages API answers with 400, in its own words. https://docs.anthropic.com/en/api/messages
// (read 2026-11)
import { sealOf } from "./seal.ts";

interface Block {
  type: string;
  id?: string;
  name?: string;
  text?: string;
  tool_use_id?: string;
  content?: unknown;
  is_error?: boolean;
  thinking?: string;
  data?: string;
  signature?: string;
  input?: unknown;
  cache_control?: unknown;
  source?: { type: string; media_type: string; data: string };
}

interface Body {
  model: string;
  max_tokens?: number;
  messages: { role: string; content: Block[] }[];
  system?: Block[];
  tools?: { name: string; description: string; input_schema: { type: string }; cache_control?: unknown }[];
  thinking?: { type: string; budget_tokens?: number; display?: string };
  output_config?: { effort?: string };
  temperature?: number;
}

const fields =
  /^(model|max_tokens|messages|system|tools|tool_choice|thinking|output_config|temperature|top_p|top_k|stop_sequences|stream|metadata|service_tier)$/;

/**
 * Haiku 4.5 is the last one that accepts a budget; newer models decide themselves: elizaOS/eliza#16175
 * (2026-07).
 */
const takesBudget = /haiku-4-5|opus-4-[56]|sonnet-4-[56]/;
const takesAdaptive = /-4-[6-9]|-5\b|fable|mythos/;

/** Undefined if the request is valid. */
export function messagesProblem(sent: unknown, headers: Record<string, string>): string | undefined {
  const body = sent as Body;
  if (!headers["anthropic-version"]) return "anthropic-version: header is required";
  const unknown = Object.keys(body).find((name) => !fields.test(name));
  if (unknown) return `${unknown}: Extra inputs are not permitted`;
  if (!body.max_tokens) return "max_tokens: Field required";
  return thinkingProblem(body) ?? cacheProblem(body) ?? toolsProblem(body) ?? turnsProblem(body);
}

function thinkingProblem({ model, thinking, max_tokens = 0, temperature, output_config, messages }: Body) {
  if (output_config?.effort && !takesAdaptive.test(model))
    return "This model does not support the effort parameter.";
  if (/fable|mythos|-5\b|-4-[78]/.test(model) && temperature !== undefined)
    return "`temperature` is deprecated for this model.";
  if (!thinking) return undefined;
  if (thinking.type === "adaptive" && !takesAdaptive.test(model))
    return "adaptive thinking is not supported on this model";
  if (thinking.display && /-4-6/.test(model))
    return "thinking.adaptive.display: Extra inputs are not permitted";
  if (thinking.type === "disabled" && /fable|mythos/.test(model))
    return '"thinking.type.disabled" is not supported for this model.';
  if (temperature !== undefined && temperature !== 1)
    return "`temperature` may only be set to 1 when thinking is enabled.";
  if (thinking.type !== "enabled") return undefined;
  if (!takesBudget.test(model))
    return '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';
  const { budget_tokens: budget = 0 } = thinking;
  if (budget < 1_024) return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
  if (budget >= max_tokens) return "`max_tokens` must be greater than `thinking.budget_tokens`.";
  const last = messages.findLast(({ role }) => role === "assistant")?.content[0]?.type ?? "";
  const answersCalls = messages.at(-1)?.content[0]?.type === "tool_result";
  return answersCalls && !/thinking$/.test(last)
    ? `messages.1.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${last}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`
    : undefined;
}

function cacheProblem({ system = [], tools = [], messages }: Body) {
  const blocks = [...system, ...messages.flatMap(({ content }) => content)];
  const marked = blocks.filter(({ cache_control }) => cache_control);
  if (marked.some(({ type }) => /thinking$/.test(type)))
    return "cache_control cannot be set for thinking blocks";
  const count = marked.length + tools.filter(({ cache_control }) => cache_control).length;
  return count > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${count}.` : undefined;
}

function toolsProblem({ tools = [] }: Body) {
  for (const [index, tool] of tools.entries()) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(tool.name))
      return `tools.${index}.custom.name: String should match pattern`;
    if (tool.input_schema?.type !== "object")
      return `tools.${index}.custom.input_schema.type: Field required`;
    if (/^(oneOf|allOf|anyOf)$/m.test(Object.keys(tool.input_schema).join("\n")))
      return `tools.${index}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
  }
  return undefined;
}

function turnsProblem({ model, messages, system = [] }: Body): string | undefined {
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  if (messages.at(-1)?.role !== "user")
    return "This model does not support assistant message prefill. The conversation must end with a user message.";
  if (system.some(({ text }) => !text?.trim()))
    return "system: text content blocks must contain non-whitespace text";
  const seen = new Set<string>();
  for (const [n, { role, content }] of messages.entries()) {
    if (!/^(user|assistant)$/.test(role)) return `messages.${n}.role: Input should be 'user' or 'assistant'`;
    if (role === messages[n - 1]?.role)
      return 'messages: roles must alternate between "user" and "assistant"';
    if (content.length === 0) return `messages.${n}: all messages must have non-empty content`;
    const problem =
      blockProblem(content, n, model, seen) ?? pairProblem(messages[n - 1]?.content ?? [], content, n);
    if (problem) return problem;
  }
  return undefined;
}

function blockProblem(content: Block[], n: number, model: string, seen: Set<string>): string | undefined {
  for (const [index, block] of content.entries()) {
    const at = `messages.${n}.content.${index}`;
    if (block.type === "text" && !block.text?.trim())
      return "messages: text content blocks must contain non-whitespace text";
    if (
      block.type === "image" &&
      (block.source?.type !== "base64" || !/^image\/(png|jpeg|gif|webp)$/.test(block.source.media_type))
    )
      return `${at}.image.source: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`;
    if (block.type === "tool_use") {
      if (!/^[a-zA-Z0-9_-]+$/.test(block.id ?? ""))
        return `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
      if (typeof block.input !== "object") return `${at}.tool_use.input: Input should be a valid dictionary`;
      if (seen.has(block.id ?? "")) return "messages: `tool_use` ids must be unique";
      seen.add(block.id ?? "");
    }
    if (block.type === "tool_result" && block.is_error && !block.content)
      return `${at}.tool_result: content cannot be empty if \`is_error\` is true`;
    if (block.type === "thinking" && block.signature !== sealOf(model, `${index}${block.thinking}`))
      return `${at}: Invalid \`signature\` in \`thinking\` block`;
    if (block.type === "redacted_thinking" && block.data !== sealOf(model, `${index}`))
      return `${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified.`;
  }
  return /thinking$/.test(content.at(-1)?.type ?? "")
    ? `messages.${n}: The final block in an assistant message cannot be \`thinking\`.`
    : undefined;
}

/** The turn after calls must begin with the results of all of them. */
function pairProblem(before: Block[], content: Block[], n: number): string | undefined {
  const open = before.flatMap(({ type, id }) => (type === "tool_use" ? (id ?? "") : []));
  const results = content.flatMap(({ type, tool_use_id }) =>
    type === "tool_result" ? (tool_use_id ?? "") : [],
  );
  const first = content.slice(0, results.length).every(({ type }) => type === "tool_result");
  const missing = open.filter((id) => !results.includes(id));
  if (missing.length > 0 || !first)
    return `messages.${n}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}.`;
  const extra = results.find((id) => !open.includes(id));
  return extra
    ? `messages.${n}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${extra}.`
    : undefined;
}
