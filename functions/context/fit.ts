// Trimming (SPEC, seed 003): a history that fits its model's budget. Pure, deterministic, and stable between rounds:
// what is given up moves in whole quarters of the budget, so that prompts keep a common beginning for provider caches.
import { HandrailError } from "../../shared/errors.ts";
import type { AssistantMessage, EventMessage, Message } from "../../shared/message.ts";
import type { PromptMessage } from "../model/prompt.ts";
import { estimatePrompt } from "./estimate.ts";
import { render } from "./render.ts";

export interface Fitted {
  prompt: PromptMessage[];
  tokens: number;
  /** Messages of the history that were shortened or left out. */
  trimmed: number;
}

/** A message, or a call with its results: what is kept or dropped together. */
interface Unit {
  messages: Message[];
  pinned: boolean;
  /** Tokens of everything before this unit. */
  before: number;
}

/** Results shorter than this are not worth a summary. */
const shortResultChars = 400;

/**
 * The prompt of `history` within `budgetTokens`. Old tool results are shortened first, then the oldest
 * units dropped for a digest; the first user message, plans and deltas in force and the last exchange stay.
 * Throws `model_error` when what must stay is larger than the budget.
 */
export function fitPrompt(history: readonly Message[], system: string, budgetTokens: number): Fitted {
  const whole = render(history, system);
  const wholeTokens = estimatePrompt(whole);
  if (wholeTokens <= budgetTokens) return { prompt: whole, tokens: wholeTokens, trimmed: 0 };

  const units = toUnits(history);
  const block = Math.max(1, Math.floor(budgetTokens / 4));
  const total = units.reduce((sum, unit) => sum + unitTokens(unit), 0);
  const blocks = Math.ceil(total / block);
  for (const drop of [false, true]) {
    for (let given = 1; given <= blocks; given += 1) {
      const made = giveUp(units, given * block, drop);
      const prompt = render(made.history, system);
      const tokens = estimatePrompt(prompt);
      if (tokens <= budgetTokens) return { prompt, tokens, trimmed: made.trimmed };
    }
  }
  throw new HandrailError(
    "model_error",
    `What has to stay in the conversation (the first message, the plan, the last exchange) is larger than this model's window of about ${budgetTokens} tokens. Shorten the plan or choose a model with a larger window.`,
    { retryable: false },
  );
}

function toUnits(history: readonly Message[]): Unit[] {
  const units: Unit[] = [];
  let firstUserSeen = false;
  const newest = history.findLast((message) => message.role === "plan");
  let before = 0;
  for (const message of history) {
    const last = units.at(-1);
    if (message.role === "tool" && last?.messages[0]?.role === "assistant") {
      last.messages.push(message);
    } else {
      const pinned =
        message === newest ||
        (message.role === "user" && !firstUserSeen) ||
        (message.role === "event" && message.extra.event.subkind === "plan_delta" && message.extra.event.data.version === (newest?.extra.plan.version ?? 0));
      if (message.role === "user") firstUserSeen = true;
      units.push({ messages: [message], pinned, before });
    }
    before += estimatePrompt(render([message], "")) ;
  }
  // The last user message and all behind it is what the model answers now.
  const lastUser = units.findLastIndex((unit) => unit.messages[0]?.role === "user");
  const lastCalls = units.findLastIndex((unit) => unit.messages[0]?.role === "assistant");
  units.forEach((unit, index) => {
    if (index === lastUser || index >= lastCalls) unit.pinned = true;
  });
  return units;
}

function unitTokens(unit: Unit): number {
  return estimatePrompt(render(unit.messages, ""));
}

/** The history with everything before `untilTokens` shortened, or dropped where `drop`. */
function giveUp(units: readonly Unit[], untilTokens: number, drop: boolean): { history: Message[]; trimmed: number } {
  const history: Message[] = [];
  const dropped: Message[] = [];
  let trimmed = 0;
  let digestAt = -1;
  for (const unit of units) {
    if (unit.pinned) {
      history.push(...unit.messages);
      continue;
    }
    if (drop && unit.before < untilTokens) {
      if (digestAt < 0) digestAt = history.length;
      dropped.push(...unit.messages);
      trimmed += unit.messages.length;
      continue;
    }
    // Once dropping has begun, all older results than the last block's are short already.
    const shorten = drop || unit.before < untilTokens;
    for (const message of unit.messages) {
      const short = shorten ? shortened(message) : message;
      if (short !== message) trimmed += 1;
      history.push(short);
    }
  }
  if (digestAt >= 0) history.splice(digestAt, 0, digest(dropped));
  return { history, trimmed };
}

function shortened(message: Message): Message {
  if (message.role !== "tool" || message.content.length <= shortResultChars) return message;
  const first = message.content.slice(0, 160).split("\n").slice(0, 2).join("\n");
  return { ...message, content: `${first}\n[… ${message.content.length - first.length} characters of an older result left out; call the tool again if needed …]` };
}

/** What was dropped, in facts: files touched and commands run. */
function digest(dropped: readonly Message[]): EventMessage {
  const calls = dropped
    .filter((message): message is AssistantMessage => message.role === "assistant")
    .flatMap((message) => message.toolCalls ?? []);
  const touched = new Set<string>();
  const commands: string[] = [];
  for (const call of calls) {
    const args = readArguments(call.arguments);
    if ((call.name === "edit_file" || call.name === "write_file") && typeof args.path === "string") touched.add(args.path);
    if (call.name === "run_command" && typeof args.command === "string") commands.push(args.command.split("\n")[0]?.slice(0, 120) ?? "");
  }
  const said = dropped.filter((message) => message.role === "user").map((message) => message.content.slice(0, 200));
  const lines = [
    `${dropped.length} older messages were left out to fit the model's window.`,
    ...(said.length > 0 ? [`The person also said: ${said.slice(-8).join(" | ")}`] : []),
    ...(touched.size > 0 ? [`Files changed: ${[...touched].slice(0, 40).join(", ")}`] : []),
    ...(commands.length > 0 ? [`Commands run: ${commands.slice(-20).join(" ; ")}`] : []),
  ];
  return {
    id: `digest:${dropped[0]?.id ?? ""}`,
    role: "event",
    content: lines.join("\n"),
    createdAt: dropped[0]?.createdAt ?? 0,
    mode: dropped[0]?.mode ?? "normal",
    extra: { event: { subkind: "summarization_marker", source: "trimming", data: { dropped: dropped.length } } },
  };
}

function readArguments(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
