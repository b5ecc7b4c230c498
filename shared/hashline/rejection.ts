// The refusal of a request: every problem, and the current rows at the places it meant. It decides nothing itself.
import type { ErrorCode } from "../errors.ts";
import { type Alignment, likelyRange } from "./align.ts";
import type { Edit } from "./edit.ts";
import { labelOf } from "./plan-edits.ts";
import { type EditProblem, isStale, type Problem, type Span } from "./problem.ts";
import { renderPlaces } from "./regions.ts";
import { parseReference } from "./rows.ts";
import { splitText } from "./text.ts";

/**
 * Nothing was written. `reason` belongs to the problem that determined the code; `message` is the text for the model.
 */
export interface Rejected {
  ok: false;
  code: Extract<ErrorCode, "stale_file" | "invalid_request">;
  reason: EditProblem;
  problems: { reason: EditProblem; edit: number; text: string }[];
  message: string;
}

/**
 * The most problems that the message lists, since a model cannot use more; `problems` has them all. With their rows,
 * they fit the 16 KB of a tool result.
 */
const toldProblems = 50;
const placeRows = 24;
const allRows = 80;
const rowChars = 6_000;
const around = 2;

export interface RejectionInput {
  edits: readonly Edit[];
  problems: readonly Problem[];
  live: readonly string[];
  /** How base lines map to live; null if the base is the live text. */
  alignment: Alignment | null;
  path?: string | undefined;
  version?: string | undefined;
  maxLineChars?: number | undefined;
}

export function reject(input: RejectionInput): Rejected {
  const problems = input.problems.toSorted((a, b) => a.edit - b.edit);
  const decisive = problems.find((problem) => isStale(problem.reason)) ?? problems[0];
  const reason = decisive?.reason ?? "no_change";
  const told = problems.slice(0, toldProblems);
  const places = told.flatMap((problem) => (problem.show ?? []).map((span) => inLive(span, input)));
  const rows = renderPlaces(input.live, places, {
    around,
    maxPlaceRows: placeRows,
    maxRows: allRows,
    maxChars: rowChars,
    maxLineChars: input.maxLineChars,
    path: input.path,
    version: input.version,
  });
  const count = problems.length === 1 ? "" : ` (${problems.length} problems)`;
  const name = input.path === undefined ? "" : ` to ${input.path}`;
  const message = [
    `REJECTED, nothing written${name}${count}.`,
    ...told.map(({ edit, reason: why, text }) => `- ${labelOf(input.edits[edit], edit)}: ${why}: ${text}`),
    ...(told.length < problems.length ? [`- … and ${problems.length - told.length} more`] : []),
    ...(rows === ""
      ? []
      : [
          `The lines in question as they are now; take ${input.edits.every(({ op }) => op === "replace_text") ? "`old` from here, without the row prefixes (a tab is \\t)" : "references and base from here"}:`,
          rows,
        ]),
  ].join("\n");
  return {
    ok: false,
    code: isStale(reason) ? "stale_file" : "invalid_request",
    reason,
    problems: problems.map(({ reason: why, edit, text }) => ({ reason: why, edit, text })),
    message,
  };
}

/**
 * The refusal if the version that the references refer to is unknown or no longer kept. No line can be placed then, so
 * it shows the current rows at the line numbers that the edits name.
 */
export function rejectUnknownBase(input: {
  base: string;
  live: string;
  edits: readonly Edit[];
  path: string;
  version: string;
  maxLineChars?: number | undefined;
}): Rejected {
  const { edits, version } = input;
  const live = splitText(input.live).lines;
  const base = input.base.length > 40 ? `${input.base.slice(0, 40)}…` : input.base;
  const text = `the version ${base} of the file is not known (any more); it is ${version} now`;
  const show = edits.slice(0, toldProblems).flatMap((edit) => named(edit, live));
  const problems = [{ reason: "unknown_version", edit: -1, text, show } as const];
  return reject({ ...input, live, alignment: null, problems });
}

/** The lines that an edit names by number, as far as the file goes. */
function named(edit: Edit, live: readonly string[]): Span[] {
  if (edit.op === "replace_text") {
    const [first = ""] = edit.old.split("\n");
    const line = first === "" ? -1 : live.findIndex((text) => text.includes(first));
    return line < 0 ? [] : [{ from: line, to: line + 1 }];
  }
  if (!("at" in edit)) return [];
  const linesOf = (references: readonly (string | undefined)[]): number[] =>
    references.flatMap((reference) => {
      const line = reference === undefined ? undefined : parseReference(reference)?.line;
      return line === undefined ? [] : [Math.max(0, Math.min(line, live.length) - 1)];
    });
  const target = edit.op === "move" ? linesOf([edit.before, edit.after]) : [];
  const lines = linesOf([edit.at, "to" in edit ? edit.to : undefined]);
  const [from = 0, to = from] = lines;
  const range = lines.length === 0 ? [] : [{ from: Math.min(from, to), to: Math.max(from, to) + 1 }];
  return [...range, ...target.map((line) => ({ from: line, to: line + 1 }))];
}

function inLive(span: Span, { alignment, live }: RejectionInput): Span {
  if (!alignment) return span;
  const [from, to] = likelyRange(alignment, span.from, span.to, live.length);
  return { from, to: Math.max(from, to) };
}
