// Describes on one line what needs permission: the command, the file, or what a script does.
import { callArguments } from "./call-facts.ts";

/** About as many characters of a command as fit on a line of a list. */
const maxLineChars = 60;
/** The most programs of a script to name. */
const maxNamed = 3;

/** The first line of `text`; "…" shows that more lines follow. */
export function firstLine(text: string): string {
  const trimmed = text.trim();
  const line = trimmed.split("\n", 1)[0] ?? "";
  if (line.length > maxLineChars) return `${line.slice(0, maxLineChars - 1)}…`;
  return line === trimmed ? line : `${line} …`;
}

interface AskedCall {
  name: string;
  risk?: string | undefined;
  arguments: string;
  why: string;
  commands?: readonly string[] | undefined;
}

/** `object`: the command or path in backticks; `whole`: the same with the action, for a question. */
export function askedInWords({ name, risk, arguments: json, why, commands }: AskedCall): {
  object: string;
  whole: string;
} {
  const { command, path } = callArguments(json);
  const what = command ?? commands?.[0];
  if (what === undefined && path !== undefined)
    return { object: inCode(path), whole: `write ${inCode(path)}` };
  // An MCP tool: the text after its name is its arguments.
  const tool = risk === "mcp" ? commands?.[0]?.split(" ", 1)[0] : undefined;
  if (tool !== undefined) return { object: inCode(tool), whole: `use the tool ${inCode(tool)}` };
  const object = inCode(firstLine(what ?? name));
  const reasons = what?.trim().includes("\n") ? reasonsOf(why) : [];
  if (reasons.length > 0) return { object, whole: `allow a script: ${reasons.join(", ")}` };
  const more = (commands?.length ?? 1) - 1;
  return { object, whole: `allow ${object}${command === undefined && more > 0 ? ` and ${more} more` : ""}` };
}

/** What the reasons begin with, in backticks. The first line of a script rarely shows what needs permission. */
function reasonsOf(why: string): string[] {
  const named = [...why.matchAll(/(?<=^(?:What |Makes )?)`[^`\n]{1,40}`/gm)].map(([marked]) => marked);
  return [...new Set(named)].slice(0, maxNamed);
}

/**
 * `text` as code in a sentence. As in Markdown, text with single backticks is enclosed in double ones, so double
 * backticks in it become quotes.
 */
export function inCode(text: string): string {
  return text.includes("`") ? `\`\` ${text.replace(/`{2,}/g, "'")} \`\`` : `\`${text}\``;
}
