// Converts a history to a prompt (PROTOCOL 2 and 7). Hidden roles become blocks, but never between a call and its
// results. A plan's text is shown in one place only. Models that edit by text get rows without references, which would
// cost tokens and never be used.

import { exploreSubkind } from "../../shared/explore.ts";
import type {
  AssistantMessage,
  EventMessage,
  Message,
  PlanMessage,
  ToolMessage,
  UserMessage,
} from "../../shared/message.ts";
import { deltaBlock, eventBlock, planBlock } from "../../shared/plan/blocks.ts";
import { withDecided } from "../../shared/plan/decided-points.ts";
import type { PromptCall, PromptMessage } from "../model/prompt.ts";
import type { EditStyle } from "../model/provider.ts";
import { summarySource } from "./event-retention.ts";
import { carriedPlanLine, switchHead, withoutCarriedPlan } from "./mode-switch.ts";
import { originOf, type PlanView, viewPlans } from "./plan-view.ts";
import { sentBack } from "./thoughts.ts";

/** The history as a prompt. `system` becomes the system message, and replaces any in the history. */
export function render(history: readonly Message[], system: string): PromptMessage[] {
  const view = viewPlans(history);
  const prompt: PromptMessage[] = [{ role: "system", content: system }];
  for (const message of wireOrder(history)) {
    const rendered = renderMessage(message, view);
    if (rendered) prompt.push(rendered);
  }
  return prompt;
}

/** One message as the model reads it; undefined if this request leaves it out. */
export function renderMessage(message: Message, view: PlanView): PromptMessage | undefined {
  switch (message.role) {
    case "system":
      return undefined;
    case "user": {
      const { attachments } = message;
      const content = message.rejects === undefined ? message.content : rejection(message);
      return { role: "user", content, ...(attachments ? { attachments } : {}) };
    }
    case "assistant":
      return renderAssistant(message, view);
    case "tool": {
      const { toolCallId, name, ok } = message;
      const content = view.lastResults.has(message.id) ? withMeta(message) : message.content;
      return { role: "tool", toolCallId, name, ok, content };
    }
    case "plan":
      return planContent(message, view);
    case "event":
      return renderEvent(message, view);
  }
}

/** Says that the plan was rejected, because the person's words alone do not. */
function rejection({ content, mode }: UserMessage): string {
  const after =
    mode === "plan" ? "still planning: change it, and submit it again with exit_plan" : "do not start it";
  return `[The plan was not approved; ${after}. What the person says about it:]\n${content}`;
}

function renderAssistant(message: AssistantMessage, view: PlanView): PromptMessage | undefined {
  const { toolCalls: calls = [], thought } = sentBack(message);
  const toolCalls = calls.map((call) => withoutPlan(call, view));
  const isOldPlan = view.versionByOrigin.has(message.id) && view.carrier !== message.id;
  const content = isOldPlan ? `[${planLine(message.id, view)}]` : message.content;
  // Anthropic and others refuse an answer that consists of white space.
  if (content.trim() === "" && toolCalls.length === 0) return undefined;
  return {
    role: "assistant",
    content,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(thought ? { thought } : {}),
  };
}

/** Replaces the plan's text in a call with one line, unless the newest text is shown in this call. */
function withoutPlan(call: PromptCall, view: PlanView): PromptCall {
  if (call.id === view.carrier) return call;
  const repeats =
    call.name === "exit_plan"
      ? view.newest !== undefined && call.arguments.includes('"plan"')
      : view.pastCalls.has(call.id);
  // The arguments stay valid for the tool, because models imitate the calls that they see.
  const field = call.name === "exit_plan" ? "summary" : "goal";
  return repeats ? { ...call, arguments: JSON.stringify({ [field]: planLine(call.id, view) }) } : call;
}

/** The line that replaces the text of a version, or a text that was never installed. */
function planLine(origin: string, view: PlanView): string {
  const version = view.versionByOrigin.get(origin);
  if (version === undefined) return "Its plan text was not installed.";
  const isNewest = view.newest !== undefined && originOf(view.newest) === origin;
  return isNewest
    ? `Plan version ${version}: its text is in the plan block.`
    : `Plan version ${version}, superseded.`;
}

function planContent(message: PlanMessage, view: PlanView): PromptMessage | undefined {
  const { plan } = message.extra;
  const { version, markdown } = plan;
  if (message === view.newest) {
    return view.asBlock && markdown.trim() !== ""
      ? { role: "user", content: planBlock(version, withDecided(plan)) }
      : undefined;
  }
  const origin = originOf(message);
  if (origin !== undefined && view.present.has(origin)) return undefined;
  return { role: "user", content: `[Plan version ${version}, superseded.]` };
}

/**
 * Whether the result of the event's call says the same. The event's block is shown only if that result is no longer in
 * the prompt.
 */
function isTold({ extra: { event } }: EventMessage, { present }: PlanView): boolean {
  const { toolCallId } = event.data;
  if (typeof toolCallId !== "string" || !present.has(toolCallId)) return false;
  return event.subkind === "plan_delta" || event.subkind === "verifier_report" || isRefusal(event);
}

/** A permission that was denied: the call's result already contains the person's words. */
function isRefusal({ subkind, data }: EventMessage["extra"]["event"]): boolean {
  return subkind === "tool_decision" && (data.decision === "deny" || data.decision === "done");
}

function renderEvent(message: EventMessage, view: PlanView): PromptMessage | undefined {
  const { subkind, source, data } = message.extra.event;
  // These are shown inside the digest.
  if (source === summarySource || subkind === exploreSubkind) return undefined;
  if (subkind === "mode_switch") return { role: "user", content: switchText(message, view) };
  if (isTold(message, view)) return undefined;
  if (subkind !== "plan_delta")
    return { role: "user", content: eventBlock(subkind, source, message.content) };
  if (!view.updates.has(message.id)) return undefined;
  return { role: "user", content: deltaBlock(Number(data.seq), message.content) };
}

/**
 * The text of an older switch without what no longer applies: the planning instruction, and a plan that is shown
 * elsewhere.
 */
function switchText(message: EventMessage, view: PlanView): string {
  const { to, planVersion } = message.extra.event.data;
  if (to === "plan") return message.id === view.lastSwitch ? message.content : switchHead(message.content);
  if (typeof planVersion !== "number" || message.id === view.shownSwitch) return message.content;
  return withoutCarriedPlan(message.content, carriedPlanLine(planVersion));
}

/**
 * The last result of a round with its `[meta]` line: the number of rounds, and the used share of the budget. Its
 * numbers were fixed when the result was created.
 */
function withMeta(message: ToolMessage): string {
  // Before a turn's first answer, nothing has been measured.
  if (!message.meta || message.meta.contextTokens === 0) return message.content;
  const { round, maxRounds, contextTokens, budgetTokens } = message.meta;
  const percent = Math.round((100 * contextTokens) / Math.max(1, budgetTokens));
  // About ten tokens, which every later request pays for.
  const line = `[meta] ${round}/${maxRounds} ${percent}%`;
  return message.content === "" || message.content.endsWith("\n")
    ? `${message.content}${line}`
    : `${message.content}\n${line}`;
}

/**
 * The messages in wire order, without system messages. A hidden message between a call and its results comes after the
 * last result; a change of mode comes directly before the user message that follows it.
 */
function wireOrder(history: readonly Message[]): Message[] {
  const ordered: Message[] = [];
  let openResults = 0;
  let held: Message[] = [];
  let switches: EventMessage[] = [];
  const releaseAll = () => {
    // Of several switches in a row, only the last one is current; an earlier one may contain the plan.
    const told = switches.filter(
      (one) => one === switches.at(-1) || one.extra.event.data.planVersion !== undefined,
    );
    ordered.push(...held, ...told);
    held = [];
    switches = [];
  };
  for (const message of history) {
    switch (message.role) {
      case "system":
        break;
      case "tool":
        ordered.push(message);
        openResults = Math.max(0, openResults - 1);
        break;
      case "assistant":
        releaseAll();
        ordered.push(message);
        openResults = message.toolCalls?.length ?? 0;
        break;
      case "user":
        releaseAll();
        ordered.push(message);
        break;
      case "plan":
      case "event":
        if (message.role === "event" && message.extra.event.subkind === "mode_switch") switches.push(message);
        else if (openResults > 0) held.push(message);
        else ordered.push(...held.splice(0), message);
    }
  }
  releaseAll();
  return ordered;
}

const showRows: ReadonlySet<string> = new Set(["read_file", "search_files", "edit_file", "write_file"]);

/** `history` with rows `42|text` instead of `42foo|text`, for models whose edits are text. */
export function withShownRows(history: readonly Message[], edits: EditStyle | undefined): readonly Message[] {
  return edits === "text" ? history.map(withoutAnchors) : history;
}

function withoutAnchors(message: Message): Message {
  if (message.role !== "tool" || !showRows.has(message.name)) return message;
  // Removes the anchor from every row of a file. The pattern does without the table of anchors, which would take 2 KB.
  const content = message.content.replace(/^(>?\d+)[a-z]{3}(?=\|)/gm, "$1");
  return { ...message, content };
}
