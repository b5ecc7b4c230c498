// Splits a history into message groups, which are kept or dropped together: an assistant message with the results of its
// calls, or a single message. Each has its price in tokens.
import type { AssistantMessage, Message, ToolCall } from "../../shared/message.ts";
import { isAnswered } from "../../shared/session/history.ts";
import { estimateMessage } from "../context/estimate.ts";
import { instructingSwitch, retentionOf } from "../context/event-retention.ts";
import { originOf, type PlanView, viewPlans } from "../context/plan-view.ts";
import { renderMessage } from "../context/render.ts";
import { sentBack } from "../context/thoughts.ts";
import { shortened } from "./shorten-messages.ts";

/** Room for a `[meta]` line, or for the line that replaces a plan's text, which may have been shorter. */
const lineTokens = 20;

export interface MessageGroup {
  /** Its messages as they are in the history, with the results of their calls. */
  messages: Message[];
  role: Message["role"];
  /** `pinned` stays; `answered` stays but may be shortened; `anchor` is dropped last. */
  keep: "pinned" | "answered" | "anchor" | "free";
  tokens: number;
  /** Tokens of its messages once they are shortened. */
  shortTokens(): number;
  /** Tokens that dropping it adds elsewhere: a plan's text and its updates are then shown as blocks. */
  leftTokens: number;
}

/**
 * The groups of a history in the order of their first messages. `shown` maps each message to its shown form.
 * `resultTokens` caches the token counts of results from one call to the next.
 */
export function toMessageGroups(
  shown: ReadonlyMap<Message, Message>,
  resultTokens: Map<Message, number>,
): MessageGroup[] {
  const history = [...shown.values()];
  const view = viewPlans(history);
  const left = leftByCall(history, view);
  const pins = pinsOf(history, view);
  const groups: MessageGroup[] = [];
  const groupOfCall = new Map<string, MessageGroup>();
  for (const [original, message] of shown) {
    if (message.role === "system") continue;
    const tokens = resultTokens.get(message) ?? tokensOf(message, view);
    if (message.role === "tool") resultTokens.set(message, tokens);
    const caller = message.role === "tool" ? groupOfCall.get(message.toolCallId) : undefined;
    if (caller) {
      caller.messages.push(original);
      caller.tokens += tokens;
      continue;
    }
    const messages = [original];
    const group: MessageGroup = {
      messages,
      role: message.role,
      keep: keepOf(message, pins),
      tokens,
      shortTokens: () =>
        messages.reduce((sum, one) => sum + tokensOf(shortened(shown.get(one) ?? one), view), 0),
      leftTokens: left.get(message.id) ?? 0,
    };
    groups.push(group);
    if (message.role !== "assistant") continue;
    for (const { id } of message.toolCalls ?? []) {
      groupOfCall.set(id, group);
      group.leftTokens += left.get(id) ?? 0;
    }
  }
  return groups;
}

/** What `message` costs at most, wherever the text of its plan is shown. */
export function mostTokens(message: Message): number {
  if (message.role === "plan" || message.role === "event")
    return tokensOf(message, viewPlans([message])) + lineTokens;
  if (message.role !== "assistant")
    return estimateMessage(message) + (message.role === "tool" ? lineTokens : 0);
  const { role, content, toolCalls } = message;
  const plans = toolCalls?.filter(namesPlan).length ?? 0;
  return estimateMessage({ role, content, ...sentBack(message) }) + lineTokens * 2 * plans;
}

function namesPlan({ name }: ToolCall): boolean {
  return name === "set_plan" || name === "exit_plan";
}

function tokensOf(message: Message, view: PlanView): number {
  const rendered = renderMessage(message, view);
  return rendered ? estimateMessage(rendered) : 0;
}

interface Pins {
  messages: ReadonlySet<Message | undefined>;
  answered: AssistantMessage | undefined;
}

function pinsOf(history: readonly Message[], view: PlanView): Pins {
  const firstUser = history.find((message) => message.role === "user");
  const shownSwitch = history.find((message) => message.id === view.shownSwitch);
  const updates = history.filter((message) => view.updates.has(message.id));
  return {
    messages: new Set([firstUser, view.newest, shownSwitch, instructingSwitch(history), ...updates]),
    answered: lastAnswered(history),
  };
}

/** The message with the questions that the person answered last: the latest decisions. */
function lastAnswered(history: readonly Message[]): AssistantMessage | undefined {
  const result = history.findLast(isAnswered);
  if (!result) return undefined;
  return history.findLast(
    (message): message is AssistantMessage =>
      message.role === "assistant" &&
      (message.toolCalls?.some((call) => call.id === result.toolCallId) ?? false),
  );
}

function keepOf(message: Message, { messages, answered }: Pins): MessageGroup["keep"] {
  if (messages.has(message)) return "pinned";
  if (message === answered) return "answered";
  if (message.role !== "event") return "free";
  const retention = retentionOf(message);
  return retention === "always" && message.extra.event.subkind === "tool_decision"
    ? "pinned"
    : retention === "anchor"
      ? "anchor"
      : "free";
}

/** The tokens that dropping a call or message adds elsewhere, by its id. */
function leftByCall(history: readonly Message[], view: PlanView): Map<string, number> {
  const left = new Map<string, number>();
  const nothingPresent = { ...view, present: new Set<string>() };
  for (const message of history) {
    if (message.role !== "event") continue;
    const call = message.extra.event.data.toolCallId;
    if (typeof call !== "string" || tokensOf(message, view) > 0) continue;
    left.set(call, (left.get(call) ?? 0) + tokensOf(message, nothingPresent));
  }
  const { newest, carrier } = view;
  const origin = newest ? originOf(newest) : undefined;
  if (newest && carrier !== undefined && origin !== undefined && view.shownSwitch === undefined) {
    left.set(origin, tokensOf(newest, { ...view, carrier: undefined, asBlock: true }));
  }
  return left;
}
