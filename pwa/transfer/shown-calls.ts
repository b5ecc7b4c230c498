// Reduces the calls and results of a file to what their cards show, so that the model reads nothing that the person
// does not see. Pure.
import * as z from "zod/mini";
import type { AssistantMessage, ToolCall, ToolMessage } from "../../shared/message.ts";
import { parsedJson } from "../../shared/parsed-json.ts";
import { callArguments, changedFiles } from "../../shared/session/call-facts.ts";
import type { Entry } from "../../shared/session/session-state.ts";
import { planningTools, readingTools } from "../../shared/session/tool-groups.ts";
import { shownMarkdown } from "../markdown/shown-markdown.ts";
import { plainResult } from "../transcript/call-words.ts";
import { olderProposal } from "../transcript/proposals.ts";
import { asksSo } from "./asks-so.ts";

/** The arguments that each tool's card shows. */
const shownArguments: Record<string, readonly ("path" | "command" | "pattern")[]> = {
  read_file: ["path"],
  list_files: ["path"],
  search_files: ["pattern"],
  run_command: ["command"],
  edit_file: ["path"],
  write_file: ["path"],
};
/** These calls have a card; any other is written as text. */
const hasCard = (name: string) =>
  Object.hasOwn(shownArguments, name) || readingTools.has(name) || planningTools.has(name);

/** One call with its result, as its card shows them. */
interface Shown {
  call: ToolCall | undefined;
  result: ToolMessage | undefined;
  /** The text in the answer if there is no card. */
  told: string;
}

/**
 * The entries, with each call and result as its card shows it. A call without a card is described in the answer's text.
 */
export function withShownCalls(entries: readonly Entry[]): Entry[] {
  const results = new Map(
    entries.flatMap((entry) =>
      entry.event === "message" && entry.data.message.role === "tool"
        ? [[entry.data.message.toolCallId, entry.data.message] as const]
        : [],
    ),
  );
  const waiting = waitingCalls(entries);
  const kept = new Map<string, ToolMessage>();
  return entries.flatMap((entry, index): Entry[] => {
    if (entry.event !== "message") return [entry];
    const { message } = entry.data;
    if (message.role === "tool") {
      const result = kept.get(message.toolCallId);
      // The card of a call shows the last of its results.
      if (result === undefined || results.get(message.toolCallId) !== message) return [];
      return [{ ...entry, data: { message: result } }];
    }
    if (message.role !== "assistant") return [entry];
    const shown = (message.toolCalls ?? []).flatMap((call): Shown[] => {
      if (waiting.has(call.id)) return [{ call, result: undefined, told: "" }];
      const result = results.get(call.id);
      // Results are assigned to calls by the calls' ids.
      if (kept.has(call.id)) return [];
      const one = shownCall(call, result, answersAfter(entries, index));
      if (one.result) kept.set(call.id, one.result);
      return [one];
    });
    return [{ ...entry, data: { message: withCalls(message, shown) } }];
  });
}

function withCalls(message: AssistantMessage, shown: readonly Shown[]): AssistantMessage {
  const { toolCalls: _, ...rest } = message;
  const calls = shown.flatMap(({ call }) => call ?? []);
  const told = shown.flatMap(({ told }) => (told === "" ? [] : told));
  const content = [shownMarkdown(message.content), ...told].filter((text) => text !== "").join("\n\n");
  if (calls.length > 0) return { ...rest, content, toolCalls: calls };
  return { ...rest, content, finish: message.finish === "tool_calls" ? "stop" : message.finish };
}

/** A plan of the older plan mode: its card shows the text and the path of its file. */
function shownProposal(call: ToolCall, result: ToolMessage | undefined): Shown | undefined {
  const proposal =
    result && olderProposal({ call, result, answer: "", printed: undefined, check: undefined });
  if (proposal === undefined || result === undefined) return undefined;
  const { success, version, planPath = "", planContent = "" } = proposal;
  const content = JSON.stringify({ success, planPath, planContent: shownMarkdown(planContent), version });
  return { call: { ...call, arguments: "{}" }, result: { ...result, name: call.name, content }, told: "" };
}

function shownCall(call: ToolCall, result: ToolMessage | undefined, answers: string): Shown {
  const proposed = shownProposal(call, result);
  if (proposed) return proposed;
  if (!hasCard(call.name) || !/^[\w.:-]{1,64}$/.test(call.id))
    return { call: undefined, result: undefined, told: toldCall(call, result) };
  const args = callArguments(call.arguments);
  const [changed] = result ? changedFiles(result) : [];
  const path = changed?.path ?? args.path;
  const all = { ...args, path };
  const named = (shownArguments[call.name] ?? []).map((key) => [key, all[key]]);
  const shown = { ...call, arguments: JSON.stringify(Object.fromEntries(named)) };
  if (result === undefined) return { call: shown, result, told: "" };
  const content =
    planningTools.has(call.name) && result.ok ? settled(call.name, answers) : shownResult(result);
  return { call: shown, result: { ...result, name: call.name, content }, told: "" };
}

/** The result fields that the cards show. A plan has a card of its own. */
function settled(name: string, answers: string): string {
  const done = "Done before this session was imported.";
  return name === "ask_user" && answers !== "" ? answers : done;
}

/** A card with a diff shows the diff and nothing else. */
function shownResult(result: ToolMessage): string {
  const diffs = changedFiles(result).flatMap(({ diff }) => diff ?? []);
  let content = diffs.length > 0 ? diffs.join("\n") : result.content;
  for (let before = ""; before !== content; ) {
    before = content;
    content = plainResult(content);
  }
  return content;
}

function toldCall({ name, arguments: json }: ToolCall, result: ToolMessage | undefined): string {
  return shownMarkdown(
    `A call of \`${name}\`, from the file:\n\n${indented(json)}\n\nIts result:\n\n${indented(result?.content ?? "none")}`,
  );
}

const indented = (text: string) =>
  text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");

/** The content of the row "You chose" after the message at `index`. */
function answersAfter(entries: readonly Entry[], index: number): string {
  for (const entry of entries.slice(index + 1)) {
    if (entry.event === "ledger")
      return entry.data.decisions.map(({ label, answer }) => `${label}: ${answer}`).join("\n");
    if (entry.event === "message" && entry.data.message.role === "assistant") break;
  }
  return "";
}

/** The entries without waiting questions, for a session that is not in its original workspace. */
export function withNothingWaiting(entries: readonly Entry[]): Entry[] {
  const answered = new Set(
    entries.flatMap((entry) =>
      entry.event === "message" && entry.data.message.role === "tool" ? [entry.data.message.toolCallId] : [],
    ),
  );
  return withShownCalls(
    entries.filter((entry) =>
      // The answer is shown with its question.
      entry.event === "questions" ? answered.has(entry.data.toolCallId) : entry.event !== "permission",
    ),
  );
}

/** The calls at the end that wait for a decision, if the screen shows everything in them. */
function waitingCalls(entries: readonly Entry[]): ReadonlySet<string> {
  const last = entries.slice(
    Math.max(
      0,
      entries.findLastIndex(({ event }) => event === "turn.started"),
    ),
  );
  const messages = last.flatMap((entry) => (entry.event === "message" ? entry.data.message : []));
  const answered = new Set(messages.map((message) => message.role === "tool" && message.toolCallId));
  const calls = messages.flatMap((message) =>
    message.role === "assistant" ? (message.toolCalls ?? []).filter(({ id }) => !answered.has(id)) : [],
  );
  return new Set(calls.filter((call) => last.some((entry) => showsAllOf(entry, call))).map(({ id }) => id));
}

const OnlyCommand = z.strictObject({ command: z.string(), timeout_ms: z.optional(z.number()) });

function showsAllOf(entry: Entry, { id, name, arguments: json }: ToolCall): boolean {
  if (entry.event === "questions")
    return entry.data.toolCallId === id && name === "ask_user" && asksSo(json, entry.data.questions);
  if (entry.event !== "permission" || entry.data.toolCallId !== id || name !== "run_command") return false;
  return entry.data.arguments === json && z.safeParse(OnlyCommand, parsedJson(json)).success;
}
