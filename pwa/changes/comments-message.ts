// Turns comments on changed lines into the one message that the agent gets. Pure.
import type { LineComment } from "../storage/draft.ts";
import { named } from "../words/fix-message.ts";
import { asQuote } from "../words/told-words.ts";

const maxQuoteChars = 160;

/** One paragraph for each comment, file by file and line by line. */
export function commentsMessage(comments: readonly LineComment[]): string {
  const sorted = [...comments].sort((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
  const said = sorted.map(({ path, line, removed, quote, text }) => {
    const place = `${named(path)}, line ${line}${removed ? " before the change" : ""}`;
    return `${place}:\n${quoted(quote)}${text.trim()}`;
  });
  const head = comments.length === 1 ? "A comment on your changes." : "Comments on your changes.";
  return [head, ...said].join("\n\n");
}

function quoted(line: string): string {
  const text = line.trim();
  if (text === "") return "";
  return `${asQuote(text.length > maxQuoteChars ? `${text.slice(0, maxQuoteChars)}…` : text)}\n\n`;
}
