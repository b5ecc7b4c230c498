// The lines of a plan as models write it, each with its kind: heading, list item, text, code, blank. It does not know
// sections.
import { indentOf, splitLines } from "../plan-lines.ts";
import { kindOfTitle } from "./titles.ts";

export type Marker = "number" | "box" | "letter" | "bullet";

export interface WrittenLine {
  kind: "heading" | "item" | "text" | "code" | "blank";
  /** The line exactly as written. */
  raw: string;
  indent: number;
  /** The line without heading and list marks. For code, the whole line including its fences. */
  text: string;
  /** For a heading: 1 to 6 for `#`, 7 for a bold line, 8 for a plain name such as `Plan`. */
  level: number;
  /** The marker of a list item. */
  marker?: Marker;
  number?: number;
  /**
   * For a table whose rows are steps: `heads` marks the lines above them, `row` a row with the text of its other cells.
   */
  heads?: true;
  row?: { title: string; below: string[]; counts: boolean };
}

const atx = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/;
const boldLine = /^(?:\*\*|__)(.+?)(?:\*\*|__):?\s*$/;
/** `1. x`, `1) x`, `**1.** x`, `Step 1: x`, `**Step 1** \u2192 x`. */
const numbered =
  /^(?:\*\*)?(?:(?:step|task|schritt|paso|\u00e9tape)\s+)?(\d{1,3})(?:\*\*)?(?:[.):](?!\d)|\s+[-\u2013\u2014\u2192](?=\s))(?:\*\*)?\s+(.*)$/i;
/** `1.2 x`: a part of item `1. x`. */
const dotted = /^\d{1,3}(?:\.\d{1,3})+\.?\s+(.*)$/;
const bullet = /^[-*+\u2022]\s+(.*)$/;
/** `a) x`, `(b) x`, `C. x`, `iv. x`. */
const lettered = /^\(?(?:[a-z]|[ivx]{1,5})[.)]\s+(.*)$/i;
const boxed = /^\[[ xX]\]\*?\s+(.*)$/;
/** Numbers written as keycaps, or with the punctuation of other scripts. */
const otherNumber = /^(\d{1,3})(?:\uFE0F?\u20E3|[\u3001\uFF0E])\s*/;
const fence = /^\s*(```|~~~)/;
const underline = /^(=+|-{3,})\s*$/;
/** A line that consists only of a tag around the plan. */
const tag = /^\s*<(?:\/?[a-z][\w-]*|summary>.*<\/summary)>\s*$/i;

/** Whether a line that nothing precedes would be an item of a numbered list or a numbered heading. */
export function isNumbered(line: string): boolean {
  return numbered.test(plainNumber(line.replace(/^#{1,6}\s+/, "")));
}

function plainNumber(text: string): string {
  return text.replace(otherNumber, "$1. ");
}

export function readWrittenLines(text: string): WrittenLine[] {
  const lines: WrittenLine[] = [];
  let closes: string | undefined;
  for (const raw of splitLines(text)) {
    const mark = fence.exec(raw)?.[1];
    if (closes !== undefined || mark !== undefined) {
      lines.push({ kind: "code", raw, indent: indentOf(raw), text: raw, level: 0 });
      if (closes === undefined) closes = mark;
      else if (mark === closes) closes = undefined;
    } else if (underline.test(raw) && lines.at(-1)?.kind === "text" && lines.at(-2)?.kind !== "text") {
      const title = lines.pop();
      if (title) lines.push({ ...title, kind: "heading", level: raw.startsWith("=") ? 1 : 2 });
    } else if (!tag.test(raw)) lines.push(readLine(raw));
  }
  return lines;
}

function readLine(raw: string): WrittenLine {
  const indent = indentOf(raw);
  const text = plainNumber(raw.trim());
  const line = { raw, indent, text, level: 0 };
  if (text === "" || /^(-{3,}|\*{3,}|_{3,})$/.test(text)) return { ...line, kind: "blank" };
  const heading = atx.exec(raw);
  if (heading) return { ...line, kind: "heading", text: heading[2] ?? "", level: heading[1]?.length ?? 1 };
  const bold = indent === 0 ? boldLine.exec(text)?.[1] : undefined;
  if (bold !== undefined && !bold.includes("**")) return { ...line, kind: "heading", text: bold, level: 7 };
  const bare = text.replace(/:$/, "");
  if (
    indent === 0 &&
    bare.length <= 24 &&
    /^[a-z][a-z ]*$/i.test(bare) &&
    kindOfTitle(bare, true) !== "other"
  )
    return { ...line, kind: "heading", text: bare, level: 8 };
  const item = numbered.exec(text);
  if (item)
    return { ...line, ...boxOf(item[2] ?? ""), kind: "item", marker: "number", number: Number(item[1]) };
  const point = bullet.exec(text)?.[1];
  const box = point === undefined ? undefined : boxed.exec(point)?.[1];
  const inner = dotted.exec(box ?? text)?.[1];
  if (inner !== undefined)
    return { ...line, indent: indent + 2, kind: "item", marker: "bullet", text: inner };
  const letter = lettered.exec(text)?.[1];
  if (letter !== undefined) return { ...line, ...boxOf(letter), kind: "item", marker: "letter" };
  if (point === undefined) return { ...line, kind: "text" };
  if (box === undefined) return { ...line, kind: "item", marker: "bullet", text: point };
  return { ...line, kind: "item", marker: "box", text: numbered.exec(box)?.[2] ?? box };
}

function boxOf(text: string): { text: string } {
  return { text: boxed.exec(text)?.[1] ?? text };
}

/** `text` without bold marks at its beginning or around it, and without a colon at its end. */
export function plainTitle(text: string): string {
  return text
    .trim()
    .replace(/^(?:\*\*|__)(.+?)(?:\*\*|__)/, "$1")
    .replace(/^\*([^*\s][^*]*)\*$/, "$1")
    .replace(/\s*:$/, "")
    .trim();
}
