// Reads a request's edits against the base text: which lines each one replaces, and which lines must be unchanged for
// it to be applied. It knows the base alone and does not look for lines in the live file.

import { anchorOf } from "./anchor.ts";
import { type AnchorPlaces, placesText } from "./anchor-places.ts";
import type { Edit } from "./edit.ts";
import { readPayload } from "./payload.ts";
import type { Problem, Span } from "./problem.ts";
import { defaultMaxLineChars, parseReference } from "./rows.ts";
import { type TextLines, withoutCr } from "./text.ts";

/**
 * The order of edits that meet in one gap between two lines. `replace` comes last, because its text replaces the lines
 * below.
 */
export const ranks = { prepend: 0, insert_after: 1, insert_before: 2, append: 3, replace: 4 } as const;

/**
 * `lines` replace the base lines `from` to `to` (from 0, `to` excluded); if both are equal, they are inserted in that
 * gap.
 */
export interface Planned extends Span {
  edits: readonly number[];
  rank: number;
  lines: readonly string[];
  /** Lines that must be unchanged and adjacent in the live file; null if the edit names none. */
  guard: Span | null;
  /** The part of `lines` that the request contains or moves, so that the result need not show it again. */
  known: Span;
  /** Set if `lines` are moved lines of the file, which the model did not write. */
  moved?: true;
}

export interface PlanOptions {
  redaction?: RegExp | undefined;
  maxLineChars?: number | undefined;
  /** The current file, used only to tell the model more about text that the base does not contain. */
  live?: string | undefined;
  /** Looks up on which lines of the current file an anchor is. */
  places: AnchorPlaces;
}

export interface EditPlan {
  planned: Planned[];
  problems: Problem[];
  warnings: string[];
}

/** How a message refers to an edit: by its position in the request and its content. */
export function labelOf(edit: Edit | undefined, index: number): string {
  if (!edit) return "the request";
  const references = referencesOf(edit);
  return `edits[${index}] ${edit.op}${references.length > 60 ? `${references.slice(0, 60)}…` : references}`;
}

function referencesOf(edit: Edit): string {
  if (!("at" in edit)) return "";
  const range = ` ${edit.at}${"to" in edit && edit.to ? ` to ${edit.to}` : ""}`;
  if (edit.op !== "move") return range;
  return `${range}${edit.before ? ` before ${edit.before}` : ""}${edit.after ? ` after ${edit.after}` : ""}`;
}

/**
 * Plans the edits that name lines or an end of the file. `replace_text` is planned in plan-text.ts, `move` in
 * plan-move.ts.
 */
export function planLineEdits(edits: readonly Edit[], base: TextLines, options: PlanOptions): EditPlan {
  const plan: EditPlan = { planned: [], problems: [], warnings: [] };
  const clipped = clippedLines(base, options.maxLineChars);
  edits.forEach((edit, index) => {
    if (edit.op === "replace_text" || edit.op === "move") return;
    const problems: Problem[] = [];
    const span = spanOf(edit, { index, base, problems, options });
    const lines =
      "lines" in edit ? payloadOf(edit.lines, edit, index, base, options, plan.warnings, problems) : [];
    if (span && (edit.op === "replace" || edit.op === "delete")) {
      // Reporting one line is enough: thousands of edits over thousands of clipped lines must not build a huge list.
      const hidden = clipped.find(({ line }) => line >= span.from && line < span.to);
      if (hidden) {
        const text = `line ${hidden.line + 1} is ${hidden.length} characters long and was shown clipped; change what was shown of it with replace_text`;
        problems.push({ reason: "clipped", edit: index, text });
      }
    }
    plan.problems.push(...problems);
    if (span && problems.length === 0) {
      const rank = edit.op === "delete" ? ranks.replace : ranks[edit.op];
      plan.planned.push({
        ...span,
        edits: [index],
        rank,
        lines,
        guard: edit.op === "append" || edit.op === "prepend" ? null : guardOf(span, base.lines.length),
        known: { from: 0, to: lines.length },
      });
    }
  });
  return plan;
}

/** The lines of a payload. What prevents the edit is added to `problems`; what the model should know, to `warnings`. */
export function payloadOf(
  raw: readonly string[],
  edit: Edit,
  index: number,
  base: TextLines,
  options: PlanOptions,
  warnings: string[],
  problems: Problem[],
): string[] {
  const payload = readPayload(raw, base.lines, options.redaction);
  warnings.push(...payload.warnings.map((text) => `${labelOf(edit, index)}: ${text}`));
  if (payload.refusal) problems.push({ ...payload.refusal, edit: index });
  return payload.lines;
}

type LineEdit = Exclude<Edit, { op: "replace_text" | "move" }>;

/** What resolving a reference needs: the base, and the list that problems are added to. */
export interface ReferenceContext {
  /** Index of the edit in the request. */
  index: number;
  base: TextLines;
  problems: Problem[];
  options: PlanOptions;
}

function spanOf(edit: LineEdit, reading: ReferenceContext): Span | null {
  const total = reading.base.lines.length;
  if (edit.op === "append") return { from: total, to: total };
  if (edit.op === "prepend") return { from: 0, to: 0 };
  if (edit.op !== "insert_before" && edit.op !== "insert_after") return rangeOf(edit, reading);
  const at = resolve(edit.at, reading);
  if (at === null) return null;
  return edit.op === "insert_before" ? { from: at, to: at } : { from: at + 1, to: at + 1 };
}

/** The lines from `at` to `to`; null if they are not valid, with the reason added to the problems. */
export function rangeOf(
  edit: { at: string; to?: string | undefined },
  reading: ReferenceContext,
): Span | null {
  const at = resolve(edit.at, reading);
  const to = edit.to === undefined ? at : resolve(edit.to, reading);
  if (at === null || to === null) return null;
  if (to < at) {
    reading.problems.push({
      reason: "out_of_range",
      edit: reading.index,
      text: `the range ends before it begins (line ${to + 1} < ${at + 1})`,
    });
    return null;
  }
  return { from: at, to: to + 1 };
}

/** The line (from 0) to which a reference refers; null if it is not valid, with the reason added to the problems. */
export function resolve(text: string, { index, base, problems, options }: ReferenceContext): number | null {
  const reference = parseReference(text);
  const total = base.lines.length;
  if (!reference) {
    const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
    const line = Math.min(Number(/\d{1,9}/.exec(text)?.[0]), total);
    problems.push({
      reason: "bad_reference",
      edit: index,
      text: `\`${shown}\` is not a reference; write line number and anchor as in \`42foo\``,
      ...(line > 0 ? { show: [{ from: line - 1, to: line }] } : {}),
    });
    return null;
  }
  const line = base.lines[reference.line - 1];
  if (line === undefined) {
    const count = total === 1 ? "1 line" : `${total} lines`;
    const show = [{ from: Math.max(0, total - 1), to: total }];
    problems.push({
      reason: "out_of_range",
      edit: index,
      text: `there is no line ${reference.line}: the file has ${count}`,
      show,
    });
    return null;
  }
  const anchor = anchorOf(line);
  if (anchor !== reference.anchor) {
    const show = [{ from: reference.line - 1, to: reference.line }];
    const now = placesText(reference.anchor, options.places(reference.anchor), reference.line);
    const words = `line ${reference.line} has the anchor ${anchor}, not ${reference.anchor} (${now})`;
    problems.push({ reason: "anchor_mismatch", edit: index, text: words, show });
    return null;
  }
  return reference.line - 1;
}

/**
 * The lines that must be unchanged for an edit of `span`. An insertion is guarded by the lines on both sides of its
 * gap.
 */
export function guardOf(span: Span, total: number): Span {
  if (span.from < span.to) return span;
  return { from: Math.max(0, span.from - 1), to: Math.min(total, span.to + 1) };
}

/** The lines that are too long for their rows to show in full. */
function clippedLines(
  base: TextLines,
  maxLineChars = defaultMaxLineChars,
): { line: number; length: number }[] {
  const clipped: { line: number; length: number }[] = [];
  base.lines.forEach((text, line) => {
    const length = text.length > maxLineChars ? withoutCr(text).length : 0;
    if (length > maxLineChars) clipped.push({ line, length });
  });
  return clipped;
}
