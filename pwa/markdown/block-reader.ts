// Assigns lines of Markdown to blocks: which containers a line continues, which it opens, and which text remains.
import type { Block, List } from "./block.ts";
import { maxDepth } from "./block.ts";
import { withoutEscapes } from "./entities.ts";
import type { LineCursor } from "./line-cursor.ts";
import { takeDefinitions } from "./link-references.ts";
import { addRow, beginTable, type Table } from "./parse-table.ts";

/** A container holds other blocks: the whole text, a quote, or an item of a list. */
interface Container {
  blocks: Block[];
  /** For an item: its list, and the number of columns before its text. */
  list?: List;
  offset: number;
  /** True if the previous line in it was blank. */
  blank: boolean;
  begun: boolean;
}

/** The block in the innermost container that the next line may continue. */
type Leaf =
  | { kind: "paragraph"; lines: string[]; block: Block & { kind: "paragraph" } }
  | { kind: "fence"; marks: string; indent: number; lines: string[]; block: Block & { kind: "code" } }
  | { kind: "indented"; lines: string[]; block: Block & { kind: "code" } }
  | { kind: "table"; block: Table };

const fence = /^(`{3,}(?=[^`]*$)|~{3,})[ \t]*([^ \t]*)/;
const heading = /^(#{1,6})(?:[ \t]|$)/;
const bullet = /^([-*+]|(\d{1,9})([.)]))(?=[ \t]|$)/;
const rule = /^([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const underline = /^(?:=+|-+)[ \t]*$/;

const wholeLine = -1;

export class BlockReader {
  readonly blocks: Block[] = [];
  readonly references = new Map<string, string>();
  private readonly open: Container[] = [{ blocks: this.blocks, offset: 0, blank: false, begun: true }];
  private leaf: Leaf | undefined;
  /** The marker of each list; an item with another marker begins a new list. */
  private readonly markers = new WeakMap<List, string>();
  private beganItem = false;

  read(line: LineCursor): void {
    this.beganItem = false;
    let matched = 1;
    for (; matched < this.open.length; matched += 1) {
      const container = this.open[matched];
      if (container === undefined || !continues(container, line)) break;
    }
    if (matched < this.open.length || !this.addCode(line)) {
      const kept = this.beginBlocks(line, matched);
      if (kept !== wholeLine) this.addText(line, kept);
    }
    let blank = line.isBlank && this.leaf?.kind !== "fence" && !this.beganItem;
    for (const container of this.open.toReversed()) {
      container.blank = blank;
      // A blank line inside a quote is not a blank line outside it.
      if (container.list === undefined) blank = false;
    }
  }

  /** Ends the open block, and the containers from `depth` on. */
  close(depth: number): void {
    const { leaf } = this;
    if (leaf?.kind === "paragraph") {
      leaf.block.text = takeDefinitions(leaf.lines.join("\n"), this.references).trim();
      if (leaf.block.text === "") this.innermost.blocks.pop();
    } else if (leaf?.kind === "indented") {
      while (leaf.lines.at(-1)?.trim() === "") leaf.lines.pop();
    }
    if (leaf?.kind === "fence" || leaf?.kind === "indented") leaf.block.text = leaf.lines.join("\n");
    this.leaf = undefined;
    this.open.length = Math.max(1, Math.min(depth, this.open.length));
  }

  private get innermost(): Container {
    return this.open.at(-1) ?? { blocks: this.blocks, offset: 0, blank: false, begun: true };
  }

  private add(block: Block): void {
    const { innermost } = this;
    if (innermost.blank && innermost.list !== undefined) innermost.list.loose = true;
    innermost.blocks.push(block);
    innermost.begun = true;
  }

  private push(blocks: Block[], offset: number, list?: List): void {
    this.open.push({ blocks, offset, blank: false, begun: false, ...(list && { list }) });
  }

  /** Returns whether the line belongs to the open code block. */
  private addCode(line: LineCursor): boolean {
    const { leaf } = this;
    if (leaf?.kind === "fence") {
      const words = line.rest.trim();
      const closes = words.length >= leaf.marks.length && words === leaf.marks.charAt(0).repeat(words.length);
      if (closes && line.indent < 4) this.close(this.open.length);
      else {
        line.takeSpace(leaf.indent);
        leaf.lines.push(line.rest);
      }
      return true;
    }
    if (leaf?.kind !== "indented") return false;
    if (line.indent < 4 && !line.isBlank) {
      this.close(this.open.length);
      return false;
    }
    line.takeSpace(4);
    leaf.lines.push(line.rest);
    return true;
  }

  /**
   * Opens the blocks that the line begins in the first `depth` containers. Returns how many are open then, or
   * `wholeLine`.
   */
  private beginBlocks(line: LineCursor, depth: number): number {
    let kept = depth;
    while (!line.isBlank) {
      const { indent } = line;
      const inParagraph = this.leaf?.kind === "paragraph" && kept === this.open.length;
      if (indent >= 4) {
        if (this.leaf?.kind === "paragraph") return kept;
        this.close(kept);
        line.takeSpace(4);
        const block = code("");
        this.add(block);
        this.leaf = { kind: "indented", lines: [line.rest], block };
        return wholeLine;
      }
      const words = line.rest.replace(/^[ \t]+/, "");
      if (inParagraph && this.endParagraph(words)) return wholeLine;
      const nests = this.open.length <= maxDepth || kept <= maxDepth;
      if (nests && words.startsWith(">")) {
        this.beginQuote(line, kept);
      } else if (this.beginLeaf(words, indent, kept)) return wholeLine;
      else if (!nests || !this.beginItem(line, words, kept, inParagraph)) return kept;
      kept = this.open.length;
    }
    return kept;
  }

  /** Handles a line below a paragraph that turns it into a heading or a table. */
  private endParagraph(words: string): boolean {
    const { leaf, innermost } = this;
    if (leaf?.kind !== "paragraph") return false;
    if (underline.test(words)) {
      const text = takeDefinitions(leaf.lines.join("\n"), this.references).trim();
      leaf.lines = text === "" ? [] : [text];
      if (text === "") return false;
      innermost.blocks[innermost.blocks.length - 1] = {
        kind: "heading",
        level: words.startsWith("=") ? 1 : 2,
        text,
      };
      this.leaf = undefined;
      return true;
    }
    const block = beginTable(leaf.lines.at(-1) ?? "", words);
    if (block === undefined) return false;
    leaf.lines.pop();
    this.close(this.open.length);
    this.add(block);
    this.leaf = { kind: "table", block };
    return true;
  }

  private beginQuote(line: LineCursor, kept: number): void {
    this.close(kept);
    takeQuoteMark(line);
    const blocks: Block[] = [];
    this.add({ kind: "quote", blocks });
    this.push(blocks, 0);
  }

  private beginLeaf(words: string, indent: number, kept: number): boolean {
    const marks = heading.exec(words)?.[1];
    const fenced = fence.exec(words);
    if (marks === undefined && fenced === null && !rule.test(words)) return false;
    this.close(kept);
    if (marks !== undefined)
      this.add({ kind: "heading", level: marks.length, text: title(words.slice(marks.length)) });
    else if (fenced !== null) {
      const block = code(withoutEscapes(fenced[2] ?? ""));
      this.add(block);
      this.leaf = { kind: "fence", marks: fenced[1] ?? "", indent, lines: [], block };
    } else this.add({ kind: "rule" });
    return true;
  }

  private beginItem(line: LineCursor, words: string, kept: number, inParagraph: boolean): boolean {
    const [, marker, number, end] = bullet.exec(words) ?? [];
    if (marker === undefined) return false;
    // A number at the start of a line of words is rarely a list, so only an item with the number 1 interrupts a
    // paragraph.
    if (inParagraph && (words.trim() === marker || (number !== undefined && Number(number) !== 1)))
      return false;
    this.close(kept);
    const { indent } = line;
    line.takeSpace(indent);
    line.take(marker.length);
    const space = line.isBlank || line.indent > 4 ? 1 : line.indent;
    line.takeSpace(space);
    const kind = end ?? marker;
    const { innermost } = this;
    const last = innermost.blocks.at(-1);
    let list = last?.kind === "list" && this.markers.get(last) === kind ? last : undefined;
    if (list === undefined) {
      list = {
        kind: "list",
        ordered: number !== undefined,
        start: Number(number ?? 1),
        loose: false,
        items: [],
      };
      this.markers.set(list, kind);
      this.add(list);
    } else if (innermost.blank) list.loose = true;
    const blocks: Block[] = [];
    list.items.push(blocks);
    this.push(blocks, indent + marker.length + space, list);
    this.beganItem = true;
    return true;
  }

  /** A line of text continues a paragraph even without the marks of its containers (lazy continuation). */
  private addText(line: LineCursor, kept: number): void {
    const { isBlank } = line;
    const { leaf } = this;
    if (kept < this.open.length && (isBlank || leaf?.kind !== "paragraph")) this.close(kept);
    if (isBlank) {
      if (this.leaf !== undefined) this.close(this.open.length);
      return;
    }
    const words = line.rest.replace(/^[ \t]+/, "");
    if (this.leaf?.kind === "paragraph") this.leaf.lines.push(words);
    else if (this.leaf?.kind === "table") addRow(this.leaf.block, words);
    else {
      const block = { kind: "paragraph" as const, text: "" };
      this.add(block);
      this.leaf = { kind: "paragraph", lines: [words], block };
    }
  }
}

function code(language: string): Block & { kind: "code" } {
  return { kind: "code", language, text: "" };
}

/** Takes the mark of the container off the line; false if the line does not belong to it. */
function continues({ list, offset, begun }: Container, line: LineCursor): boolean {
  if (list === undefined) return line.indent < 4 && takeQuoteMark(line);
  if (line.isBlank) return begun;
  if (line.indent < offset) return false;
  line.takeSpace(offset);
  return true;
}

function takeQuoteMark(line: LineCursor): boolean {
  if (!/^[ \t]*>/.test(line.rest)) return false;
  line.takeSpace(3);
  line.take(1);
  line.takeSpace(1);
  return true;
}

/** The words of a heading, without the marks that may close it. */
function title(words: string): string {
  const text = words.trim();
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  return end === 0 || /[ \t]/.test(text.charAt(end - 1)) ? text.slice(0, end).trim() : text;
}
