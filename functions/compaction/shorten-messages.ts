// Shortens old tool work: a result to its first and last lines, a call to its arguments without their payload.
import { isObject } from "../../shared/is-record.ts";
import { isDeeperThan } from "../../shared/json-depth.ts";
import type { AssistantMessage, Message, ToolCall, ToolMessage, UserMessage } from "../../shared/message.ts";
import * as limits from "../limits.ts";
import { findTool } from "../tools/tool-index.ts";

/** Results and arguments up to this size are left alone. */
const shortChars = 400;
/** Head, tail and the line between them are less than `shortChars`. */
const headChars = 180;
const tailChars = 120;
/** An argument longer than this is payload: a file's content, a list of edits. */
const shortArgumentChars = 240;

/** `message` shortened, or itself if that would save nothing. Shortening again changes nothing. */
export function shortened(message: Message): Message {
  if (message.role === "tool") return shortResult(message);
  if (message.role === "user") return withoutPictures(message);
  return message.role === "assistant" ? shortCalls(message) : message;
}

/** The model has seen these pictures, and what it said about them stays. */
function withoutPictures(message: UserMessage): UserMessage {
  const { attachments = [], ...rest } = message;
  const pictures = attachments.filter(({ kind }) => kind === "image");
  if (pictures.length === 0) return message;
  const others = attachments.filter(({ kind }) => kind !== "image");
  const note = `[pictures shown before, and left out here: ${pictures.map(({ name }) => name).join(", ")}]`;
  const content = rest.content === "" ? note : `${rest.content}\n${note}`;
  return { ...rest, content, ...(others.length > 0 ? { attachments: others } : {}) };
}

function shortResult(message: ToolMessage): ToolMessage {
  const { content, name } = message;
  if (isKept(name) || content.length <= shortChars) return message;
  const head = cutAtLine(content.slice(0, headChars));
  const tail = content.slice(-tailChars).split("\n").slice(-2).join("\n");
  const left = content.length - head.length - tail.length;
  const text = `${head}\n[… ${left} characters of an older result left out; call the tool again if needed …]\n${tail}`;
  return { ...message, content: text };
}

/** Whether calls and results of the tool stay as they are: facts of the plan, decisions of the person. */
function isKept(name: string): boolean {
  const trimming = findTool(name)?.trimming;
  return trimming !== undefined && "kept" in trimming;
}

/** Whole lines if there are any. */
function cutAtLine(text: string): string {
  const end = text.lastIndexOf("\n");
  return end > 0 ? text.slice(0, end) : text;
}

function shortCalls(from: AssistantMessage): AssistantMessage {
  const message = withShortThought(from);
  const toolCalls = message.toolCalls?.map(shortCall);
  const changed = toolCalls?.some((call, index) => call !== message.toolCalls?.[index]);
  return changed && toolCalls ? { ...message, toolCalls } : message;
}

/** Cuts reasoning to its beginning. Details are signed as a whole, so they are dropped; signatures of calls stay. */
function withShortThought(message: AssistantMessage): AssistantMessage {
  const { thought, reasoning = "" } = message;
  if (thought === undefined || (thought.details === undefined && reasoning.length <= shortChars))
    return message;
  const { details: _, ...rest } = thought;
  return {
    ...message,
    thought: rest,
    reasoning: reasoning.length > shortChars ? `${reasoning.slice(0, headChars)}…` : reasoning,
  };
}

function shortCall(call: ToolCall): ToolCall {
  if (isKept(call.name) || call.arguments.length <= shortChars) return call;
  const args = parsedArguments(call.arguments);
  const short = Object.entries(args).map(([name, value]) => [name, shortValue(value)] as const);
  return { ...call, arguments: JSON.stringify(Object.fromEntries(short)) };
}

function shortValue(value: unknown): unknown {
  const size = typeof value === "string" ? value.length : JSON.stringify(value).length;
  return size <= shortArgumentChars ? value : `[… ${size} characters left out …]`;
}

/** Arguments as an object; `{}` if they are none. */
export function parsedArguments(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    const read = isObject(value) && !isDeeperThan(value, limits.jsonDepth);
    return read ? { ...value } : {};
  } catch {
    return {};
  }
}
