// Parses Markdown into blocks, line by line, as https://spec.commonmark.org/0.31.2 defines them, and tables. HTML is
// text.
import type { Block } from "./block.ts";
import { BlockReader } from "./block-reader.ts";
import { LineCursor } from "./line-cursor.ts";
import { noReferences, type References } from "./link-references.ts";

/** Returns the blocks of `text`, which may end anywhere: a fence that is still open runs to the end. */
export function parseBlocks(text: string): { blocks: Block[]; references: References } {
  const reader = new BlockReader();
  for (const line of text.replace(/\r?\n$/, "").split(/\r?\n/)) reader.read(new LineCursor(line));
  reader.close(0);
  return { blocks: reader.blocks, references: reader.references.size > 0 ? reader.references : noReferences };
}
