// What markdown is made of: blocks, and the words in them.
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
  /** Items that blank lines keep apart: their words are paragraphs. */
  loose: boolean;
  items: Block[][];
}

export type Inline =
  | { kind: "text" | "code"; text: string }
  | { kind: "break" }
  | { kind: "bold" | "emphasis"; parts: Inline[] }
  | { kind: "link"; href: string; parts: Inline[] };

/** Nesting of lists, quotes, links and emphasis. Anything deeper is text, since drawing recurses once a level. */
export const maxDepth = 24;
