// The digest: facts from the messages that a prompt leaves out. The person's words and decisions, files touched, commands
// run.
import type { AssistantMessage, EventMessage, Message, ToolCall } from "../../shared/message.ts";
import { escapeBlock } from "../../shared/plan/blocks.ts";
import { estimateText } from "../context/estimate.ts";
import { findTool } from "../tools/tool-index.ts";
import { parsedArguments } from "./shorten-messages.ts";

const maxChars = 6_000;

/** How much of a budget a digest may take. */
export function digestChars(budgetTokens: number): number {
  return Math.min(maxChars, Math.floor(budgetTokens * 0.25));
}

/** Tokens that a digest of `chars` costs at most, its block and role included. */
export function digestTokens(chars: number): number {
  return estimateText("x".repeat(chars)) + 60;
}

const source = "trimming";

export function isDigest(message: Message): boolean {
  return message.role === "event" && message.extra.event.source === source;
}

/**
 * One hidden message that replaces `dropped`. Its text has at most `chars` characters once escaped. `summary`: the
 * model's own words for them.
 */
export function digest(dropped: readonly Message[], chars: number, summary = ""): EventMessage {
  const first = dropped[0];
  return {
    id: `digest:${first?.id ?? ""}`.slice(0, 300),
    role: "event",
    content: digestText(dropped, chars, summary),
    createdAt: first?.createdAt ?? 0,
    mode: first?.mode ?? "normal",
    extra: {
      event: { subkind: "summarization_marker", source, data: { dropped: dropped.length } },
    },
  };
}

function digestText(dropped: readonly Message[], chars: number, summary: string): string {
  const calls = dropped
    .filter((message): message is AssistantMessage => message.role === "assistant")
    .flatMap((message) => message.toolCalls ?? []);
  const of = (list: DigestList) => calls.flatMap((call) => entryOf(call, list));
  const changed = of("Files changed");
  const read = of("Files read").filter((path) => !changed.includes(path));
  const commands = of("Commands run");
  const decisions = dropped
    .filter(isDecision)
    .flatMap((message) => message.content.split("\n").map((line) => clippedLine(line, 200)));
  const said = dropped
    .filter((message) => message.role === "user")
    .map(({ content }) => clippedLine(content, 200));

  const marks = escapedLength(summary) - summary.length;
  const told =
    summary === "" ? "" : `In your own words:\n${summary.slice(0, Math.max(0, chars / 2 - marks))}`;
  const head = `${dropped.length} older messages were left out to fit the model's window.`;
  // Each list has its share, so that none of them crowds out the others.
  const share = Math.max(0, Math.floor((chars - head.length - escapedLength(told) - 160) / 5));
  return [
    head,
    told,
    listLine("Decisions", decisions, share),
    listLine("Files changed", changed, share),
    listLine("Files read", read, share),
    listLine("Commands run", commands, share),
    listLine("The person also said", said, share),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

type DigestList = "Files changed" | "Files read" | "Commands run";

/** The argument that `list` names a call by, if any. */
function entryOf({ name, arguments: json }: ToolCall, list: DigestList): string[] {
  const trimming = findTool(name)?.trimming;
  if (trimming?.digest !== list) return [];
  const said = parsedArguments(json)[trimming.argument];
  return [(list === "Commands run" ? clippedText : clippedLine)(said, trimming.maxChars)];
}

function isDecision(message: Message): boolean {
  return message.role === "tool" && message.ok && findTool(message.name)?.trimming?.digest === "Decisions";
}

/** The newest of `entries`, without repetitions, oldest first, as many as fit into `chars`. */
function listLine(title: string, entries: readonly string[], chars: number): string {
  const newestFirst = [...new Set(entries.filter((entry) => entry !== "").reverse())];
  const fitting: string[] = [];
  let used = 0;
  for (const entry of newestFirst) {
    used += escapedLength(entry) + 3 * entry.split("\n").length;
    if (used > chars) break;
    fitting.push(entry);
  }
  if (fitting.length === 0) return "";
  const more = newestFirst.length - fitting.length;
  const head = `${title}${more > 0 ? ` (${more} earlier not shown)` : ""}:`;
  fitting.reverse();
  if (!fitting.some((entry) => entry.includes("\n"))) return `${head} ${fitting.join(" | ")}`;
  // A script on one line would be another script.
  return [head, ...fitting.map((entry) => `- ${entry.replaceAll("\n", "\n  ")}`)].join("\n");
}

function escapedLength(text: string): number {
  return escapeBlock(text).length;
}

/** Keeps the lines of a command. */
function clippedText(value: unknown, maxLength: number): string {
  if (typeof value !== "string") return "";
  const text = value.trim();
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

function clippedLine(value: unknown, maxLength: number): string {
  return clippedText(typeof value === "string" ? value.replace(/\s+/g, " ") : value, maxLength);
}
