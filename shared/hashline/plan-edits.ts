// Reads a request's edits against the base text: what each replaces, and what must be untouched for it to land.
// It knows the base alone; where its lines are in the live file is not asked here.

import { anchorOf } from "./anchor.ts";
import type { Edit } from "./edit.ts";
import { readPayload } from "./payload.ts";
import type { Problem, Span } from "./problem.ts";
import { defaultMaxLineChars, parseReference } from "./rows.ts";
import { type TextLines, withoutCr } from "./text.ts";

/** Order of what meets in one gap between two lines: `replace` last, since its text takes the place of lines below. */
export const ranks = { prepend: 0, insert_after: 1, insert_before: 2, append: 3, replace: 4 } as const;

/** `lines` in the place of base lines `from` to `to` (from 0, `to` excluded; equal = an insertion in that gap). */
export interface Planned extends Span {
  edits: readonly number[];
  rank: number;
  lines: readonly string[];
  /** Lines that must be untouched in the live file, in one piece; null where the edit names none. */
  guard: Span | null;
}

export interface PlanOptions {
  redaction?: RegExp | undefined;
  maxLineChars?: number | undefined;
  /** The file as it is now; only to tell the model more about what the base does not have. */
  live?: string | undefined;
}

export interface EditPlan {
  planned: Planned[];
  problems: Problem[];
  warnings: string[];
}

/** How a message names an edit: by its place in the request and what it says. */
export function labelOf(edit: Edit | undefined, index: number): string {
  if (!edit) return "the request";
  const references = "at" in edit ? ` ${edit.at}${"to" in edit && edit.to ? ` to ${edit.to}` : ""}` : "";
  return `edits[${index}] ${edit.op}${references.length > 60 ? `${references.slice(0, 60)}…` : references}`;
}

/** The edits that name lines, or an end of the file. `replace_text` is planned in plan-text.ts. */
export function planLineEdits(edits: readonly Edit[], base: TextLines, options: PlanOptions): EditPlan {
  const plan: EditPlan = { planned: [], problems: [], warnings: [] };
  const clipped = clippedLines(base, options.maxLineChars);
  edits.forEach((edit, index) => {
    if (edit.op === "replace_text") return;
    const problems: Problem[] = [];
    const span = spanOf(edit, index, base, problems);
    const lines =
      "lines" in edit ? payloadOf(edit.lines, edit, index, base, options, plan.warnings, problems) : [];
    if (span && (edit.op === "replace" || edit.op === "delete")) {
      // One is enough: thousands of edits over thousands of such lines must stay a list that can be held.
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
        guard: guardOf(edit, span, base.lines.length),
      });
    }
  });
  return plan;
}

/** The lines of a payload; what speaks against them goes to `problems`, what the model should know to `warnings`. */
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

type LineEdit = Exclude<Edit, { op: "replace_text" }>;

function spanOf(edit: LineEdit, index: number, base: TextLines, problems: Problem[]): Span | null {
  const total = base.lines.length;
  if (edit.op === "append") return { from: total, to: total };
  if (edit.op === "prepend") return { from: 0, to: 0 };
  const at = resolve(edit.at, index, base, problems);
  if (edit.op === "insert_before") return at === null ? null : { from: at, to: at };
  if (edit.op === "insert_after") return at === null ? null : { from: at + 1, to: at + 1 };
  const to = edit.to === undefined ? at : resolve(edit.to, index, base, problems);
  if (at === null || to === null) return null;
  if (to < at) {
    problems.push({
      reason: "out_of_range",
      edit: index,
      text: `the range ends before it begins (line ${to + 1} < ${at + 1})`,
    });
    return null;
  }
  return { from: at, to: to + 1 };
}

/** The line (from 0) that a reference means; null, and a problem, where it means none. */
function resolve(text: string, index: number, base: TextLines, problems: Problem[]): number | null {
  const reference = parseReference(text);
  const total = base.lines.length;
  if (!reference) {
    const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
    problems.push({
      reason: "bad_reference",
      edit: index,
      text: `\`${shown}\` is no reference; write line number and anchor as in \`42foo\``,
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
    const words = `line ${reference.line} has the anchor ${anchor}, not ${reference.anchor}`;
    problems.push({ reason: "anchor_mismatch", edit: index, text: words, show });
    return null;
  }
  return reference.line - 1;
}

/** Insertions are guarded by the lines on both sides of the gap; those at the ends of the file by none. */
function guardOf(edit: LineEdit, span: Span, total: number): Span | null {
  if (edit.op === "append" || edit.op === "prepend") return null;
  if (span.from < span.to) return span;
  return { from: Math.max(0, span.from - 1), to: Math.min(total, span.to + 1) };
}

/** Lines whose rows do not show all of them. */
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
