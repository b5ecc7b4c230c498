// History → prompt (PROTOCOL 2 and 7): hidden roles become blocks, the plan's body stands where it may and nowhere else.
import type { AssistantMessage, EventMessage, Message, PlanMessage, ToolCall, ToolMessage } from "../../shared/message.ts";
import { deltaBlock, eventBlock, planBlock } from "../../shared/plan/blocks.ts";
import type { PromptMessage } from "../model/prompt.ts";

/** What is known of the plans in a history; made once per prompt. */
interface PlanView {
  /** Newest version in the history, 0 without a plan. */
  newest: number;
  /** Version by the id of the call or text that installed it. */
  versionByOrigin: ReadonlyMap<string, number>;
  /** Calls and texts that the prompt shows. */
  present: ReadonlySet<string>;
  /** Version whose body a mode switch in the prompt carries. */
  switched: number;
}

/** Id of the hidden message that a call or text left behind; `origin` = its tool call id or message id. */
export function planMessageId(origin: string): string {
  return `plan:${origin}`;
}

/** The origin in a plan message's id, or undefined where a person's edit made it. */
function originOf(message: PlanMessage): string | undefined {
  return message.id.startsWith("plan:") ? message.id.slice("plan:".length) : undefined;
}

/**
 * The history as a prompt behind the system message. A caller's own system message is given as
 * `system`. Hidden messages between a call and its results come after the last result.
 */
export function render(history: readonly Message[], system: string): PromptMessage[] {
  const view = viewPlans(history);
  const out: PromptMessage[] = [{ role: "system", content: system }];
  let openResults = 0;
  let held: PromptMessage[] = [];
  const release = () => {
    out.push(...held);
    held = [];
  };
  for (const message of history) {
    if (message.role === "system") continue;
    if (message.role === "assistant" || message.role === "user") release();
    const prompt = renderMessage(message, view);
    const hidden = message.role === "plan" || message.role === "event";
    if (prompt) (hidden && openResults > 0 ? held : out).push(prompt);
    if (message.role === "assistant") openResults = message.toolCalls?.length ?? 0;
    if (message.role === "tool") openResults = Math.max(0, openResults - 1);
    if (openResults === 0) release();
  }
  release();
  return out;
}

function viewPlans(history: readonly Message[]): PlanView {
  let newest = 0;
  let switched = 0;
  const versionByOrigin = new Map<string, number>();
  const present = new Set<string>();
  for (const message of history) {
    if (message.role === "plan") {
      newest = message.extra.plan.version;
      const origin = originOf(message);
      if (origin !== undefined) versionByOrigin.set(origin, newest);
    } else if (message.role === "assistant") {
      present.add(message.id);
      for (const call of message.toolCalls ?? []) present.add(call.id);
    } else if (message.role === "event" && message.extra.event.subkind === "mode_switch") {
      const { planVersion } = message.extra.event.data;
      if (typeof planVersion === "number") switched = planVersion;
    }
  }
  return { newest, versionByOrigin, present, switched };
}

function renderMessage(message: Exclude<Message, { role: "system" }>, view: PlanView): PromptMessage | undefined {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.content, ...(message.attachments ? { attachments: message.attachments } : {}) };
    case "assistant":
      return renderAssistant(message, view);
    case "tool":
      return { role: "tool", toolCallId: message.toolCallId, name: message.name, ok: message.ok, content: withMeta(message) };
    case "plan":
      return renderPlan(message, view);
    case "event":
      return renderEvent(message, view);
  }
}

function renderAssistant(message: AssistantMessage, view: PlanView): PromptMessage | undefined {
  const toolCalls = message.toolCalls?.map((call) => shortened(call, view)) ?? [];
  const superseded = (view.versionByOrigin.get(message.id) ?? view.newest) < view.newest;
  const content = superseded ? `[Plan version ${view.versionByOrigin.get(message.id)}, superseded.]` : message.content;
  if (content === "" && toolCalls.length === 0) return undefined;
  return { role: "assistant", content, ...(toolCalls.length > 0 ? { toolCalls } : {}) };
}

/** An older version costs one line, not its body. */
function shortened(call: ToolCall, view: PlanView): ToolCall {
  const version = view.versionByOrigin.get(call.id);
  if (version === undefined || version === view.newest) return call;
  return { ...call, arguments: JSON.stringify({ summary: `Plan version ${version}, superseded.` }) };
}

function renderPlan(message: PlanMessage, view: PlanView): PromptMessage | undefined {
  const { version, markdown } = message.extra.plan;
  if (version !== view.newest) {
    const origin = originOf(message);
    if (origin !== undefined && view.present.has(origin)) return undefined;
    return { role: "user", content: `<plan version="${version}">superseded</plan>` };
  }
  const origin = originOf(message);
  if (origin !== undefined && view.present.has(origin)) return undefined;
  if (view.switched === version) return undefined;
  return { role: "user", content: planBlock(version, markdown) };
}

function renderEvent(message: EventMessage, view: PlanView): PromptMessage | undefined {
  const { subkind, source, data } = message.extra.event;
  if (subkind === "mode_switch") return { role: "user", content: message.content };
  if (subkind === "plan_delta") {
    // The call that made it says the same; only once that is trimmed does the block stand for it.
    if (typeof data.toolCallId === "string" && view.present.has(data.toolCallId)) return undefined;
    if (typeof data.version === "number" && data.version !== view.newest) return undefined;
    return { role: "user", content: deltaBlock(Number(data.seq), message.content) };
  }
  return { role: "user", content: eventBlock(subkind, source, message.content) };
}

/** A result with its `[meta]` line, whose numbers were fixed when it was made. */
function withMeta(message: ToolMessage): string {
  if (!message.meta) return message.content;
  const { round, maxRounds, contextTokens, budgetTokens } = message.meta;
  const percent = Math.round((100 * contextTokens) / Math.max(1, budgetTokens));
  return `${message.content}\n[meta] round=${round}/${maxRounds} context=${thousands(contextTokens)}/${thousands(budgetTokens)} ${percent}%`;
}

function thousands(tokens: number): string {
  return tokens < 1000 ? String(tokens) : `${Math.round(tokens / 1000)}k`;
}
