// Rows as a model reads them whose edits are text: references would be paid for and never used.
import type { Message } from "../../shared/message.ts";
import type { EditStyle } from "../model/provider.ts";

const showRows: ReadonlySet<string> = new Set(["read_file", "search_files", "edit_file", "write_file"]);

/** `history` with rows `42|text` in place of `42foo|text` for models whose edits are text. */
export function withShownRows(history: readonly Message[], edits: EditStyle | undefined): readonly Message[] {
  return edits === "text" ? history.map(withoutAnchors) : history;
}

function withoutAnchors(message: Message): Message {
  if (message.role !== "tool" || !showRows.has(message.name)) return message;
  // Every line of a file begins with its number and its anchor: the table of anchors is 2 KB, and not needed for this.
  const content = message.content.replace(/^(>?\d+)[a-z]{3}(?=\|)/gm, "$1");
  return { ...message, content };
}
