// Blocks of markdown as models write them. Everything that is not one of these is a paragraph.
import { beginsTable, parseTable, type Table } from "./parse-table.ts";

export type Block =
  | Table
  | { kind: "paragraph"; text: string }
  | { kind: "heading"; level: number; text: string }
  | { kind: "code"; language: string; text: string }
  | { kind: "quote"; text: string }
  | { kind: "rule" }
  | { kind: "list"; ordered: boolean; start: number; items: ListItem[] };

export interface ListItem {
  text: string;
  /** A list below this item. */
  children: Block[];
}

const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;
const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const item = /^(\s*)(?:([-*+])|(\d{1,6})[.)])\s+(.*)$/;
const rule = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;

/** The blocks of `text`, which may end anywhere: a fence that is still open runs to the end. */
export function parseBlocks(text: string): Block[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const opening = fence.exec(line);
    if (opening !== null) {
      const end = fenceEnd(lines, at + 1, opening[1] ?? "```");
      blocks.push({ kind: "code", language: opening[2] ?? "", text: lines.slice(at + 1, end).join("\n") });
      at = end + 1;
    } else if (line.trim() === "") at += 1;
    else if (rule.test(line)) {
      blocks.push({ kind: "rule" });
      at += 1;
    } else if (heading.test(line)) {
      const [, marks = "#", title = ""] = heading.exec(line) ?? [];
      blocks.push({ kind: "heading", level: marks.length, text: title });
      at += 1;
    } else if (line.startsWith(">")) {
      const end = endOf(lines, at, (next) => next.startsWith(">"));
      blocks.push({
        kind: "quote",
        text: lines
          .slice(at, end)
          .map((next) => next.replace(/^>\s?/, ""))
          .join("\n"),
      });
      at = end;
    } else if (item.test(line)) {
      const end = listEnd(lines, at);
      blocks.push(parseList(lines.slice(at, end)));
      at = end;
    } else if (beginsTable(lines, at)) {
      const end = endOf(lines, at + 1, (next) => next.trim() !== "" && !startsBlock(next));
      blocks.push(parseTable(lines.slice(at, end)));
      at = end;
    } else {
      const end = endOf(
        lines,
        at,
        (next, index) => next.trim() !== "" && !startsBlock(next) && !beginsTable(lines, index),
      );
      blocks.push({ kind: "paragraph", text: lines.slice(at, end).join("\n").trim() });
      at = end;
    }
  }
  return blocks;
}

function startsBlock(line: string): boolean {
  return fence.test(line) || heading.test(line) || item.test(line) || line.startsWith(">") || rule.test(line);
}

function fenceEnd(lines: string[], from: number, marks: string): number {
  const closing = lines.findIndex(
    (line, index) => index >= from && line.trim().startsWith(marks) && /^[`~]+$/.test(line.trim()),
  );
  return closing < 0 ? lines.length : closing;
}

/** The first line after `from` that does not belong; always at least one line on. */
function endOf(lines: string[], from: number, belongs: (line: string, index: number) => boolean): number {
  let end = from + 1;
  while (end < lines.length && belongs(lines[end] ?? "", end)) end += 1;
  return end;
}

/** A list runs over items, indented lines, and single blank lines between them. */
function listEnd(lines: string[], from: number): number {
  let end = from + 1;
  while (end < lines.length) {
    const line = lines[end] ?? "";
    const next = lines[end + 1] ?? "";
    if (
      line.trim() === ""
        ? !(item.test(next) || /^\s+\S/.test(next))
        : !(item.test(line) || /^\s+\S/.test(line))
    )
      break;
    end += 1;
  }
  return end;
}

function parseList(lines: string[]): Block {
  const [, indent = "", , number] = item.exec(lines[0] ?? "") ?? [];
  const groups: { text: string; below: string[] }[] = [];
  for (const line of lines) {
    const match = item.exec(line);
    const own = match !== null && (match[1] ?? "").length <= indent.length + 1;
    const last = groups.at(-1);
    if (own || last === undefined) groups.push({ text: match?.[4] ?? line, below: [] });
    else last.below.push(line.slice(Math.min(indent.length + 2, /^\s*/.exec(line)?.[0].length ?? 0)));
  }
  const items = groups.map(
    ({ text, below }): ListItem => ({ text, children: parseBlocks(below.join("\n")) }),
  );
  return { kind: "list", ordered: number !== undefined, start: Number(number ?? 1), items };
}
