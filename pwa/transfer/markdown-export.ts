// Exports a session as Markdown for reading elsewhere: messages, actions in one line each, and plans in full. Pure.
import type { Message } from "../../shared/message.ts";
import { changedFiles } from "../../shared/session/call-facts.ts";
import type { Entry } from "../../shared/session/session-state.ts";
import { callInWords } from "../../shared/session/session-summary.ts";

interface ExportHeader {
  title: string;
  workspace: string;
  createdAt: number;
}

export function sessionAsMarkdown(
  { title, workspace, createdAt }: ExportHeader,
  entries: readonly Entry[],
): string {
  const parts = [`# ${title}`, `${workspace} · begun ${new Date(createdAt).toISOString().slice(0, 10)}`];
  for (const entry of entries) {
    const part = partOf(entry);
    if (part !== "") parts.push(part);
  }
  return `${parts.join("\n\n")}\n`;
}

function partOf(entry: Entry): string {
  switch (entry.event) {
    case "message":
      return messagePart(entry.data.message);
    case "ledger":
      return entry.data.decisions.map(({ label, answer }) => `- **${label}:** ${answer}`).join("\n");
    case "proposal":
      return `*Version ${entry.data.planVersion} of the plan was proposed.*`;
    case "step":
      return `*Step ${entry.data.stepId}: ${entry.data.status}${entry.data.note ? `, ${entry.data.note}` : ""}*`;
    case "turn.failed":
      return `*Failed: ${entry.data.error.message}*`;
    default:
      return "";
  }
}

function messagePart(message: Message): string {
  switch (message.role) {
    case "user":
      return `## You\n\n${message.content}`;
    case "assistant": {
      const calls = (message.toolCalls ?? []).map((call) => `- ${callInWords(call)}`).join("\n");
      const text = message.content.trim();
      return [text === "" ? "" : `## Agent\n\n${text}`, calls].filter(Boolean).join("\n\n");
    }
    case "tool": {
      const diffs = changedFiles(message).flatMap(({ diff }) => diff ?? []);
      return diffs.map((diff) => fenced(diff, "diff")).join("\n\n");
    }
    case "plan":
      return `## Plan, version ${message.extra.plan.version}\n\n${fenced(message.extra.plan.markdown, "markdown")}`;
    case "event":
    case "system":
      return "";
  }
}

/** `text` as a fenced block, with a fence that is longer than any fence inside. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}
