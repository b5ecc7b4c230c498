// Turns comments on changed lines into the one message that the agent gets. Pure.
import type { LineComment } from "../storage/draft.ts";

const maxQuoteChars = 160;

/** One paragraph for each comment, file by file and line by line. */
export function commentsMessage(comments: readonly LineComment[]): string {
  const sorted = [...comments].sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
  const said = sorted.map(({ path, line, removed, quote, text }) => {
    const place = removed ? `\`${path}\`, line ${line} before the change` : `\`${path}\`, line ${line}`;
    return `${place}:\n${quoted(quote)}${text.trim()}`;
  });
  const head = comments.length === 1 ? "A comment on your changes." : "Comments on your changes.";
  return [head, ...said].join("\n\n");
}

function quoted(line: string): string {
  const text = line.trim();
  if (text === "") return "";
  return `> ${text.length > maxQuoteChars ? `${text.slice(0, maxQuoteChars)}…` : text}\n\n`;
}
