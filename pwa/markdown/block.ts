// The parts of Markdown: blocks, and the words in them.
import type { Table } from "./parse-table.ts";

export type Block =
  | Table
  | { kind: "paragraph"; text: string }
  | { kind: "heading"; level: number; text: string }
  | { kind: "code"; language: string; text: string }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "rule" }
  | List;

export interface List {
  kind: "list";
  ordered: boolean;
  start: number;
  /** The items are separated by blank lines, so their words are paragraphs. */
  loose: boolean;
  items: Block[][];
}

export type Inline =
  | { kind: "text" | "code"; text: string }
  | { kind: "break" }
  | { kind: "bold" | "emphasis"; parts: Inline[] }
  | { kind: "link"; href: string; parts: Inline[] };

/**
 * The limit for nested lists, quotes, links and emphasis. Anything deeper is shown as text, because drawing recurses
 * once per level.
 */
export const maxDepth = 24;
