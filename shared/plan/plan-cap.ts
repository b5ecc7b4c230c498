// Keeps a plan's text below its size limit. It cuts between entries, so that the rest can be parsed and no command is
// cut in half.
import { asNotes, type PlanProse, parsePlan, renderPlan } from "./markdown.ts";
import type { PlanBody } from "./plan-file.ts";
import { countScalars, cutToCap, maxPlanScalars, takeScalars, truncationMarker } from "./scalars.ts";

const noProse: PlanProse = { preamble: "", notes: "" };

export interface CappedPlan {
  body: PlanBody;
  markdown: string;
  /** Absent if nothing was cut. */
  truncated?: { kept: number; of: number };
}

/** Free text below the limit (in Unicode scalars); its goal is its first line that states one. */
export function capFreeText(text: string, cap = maxPlanScalars): CappedPlan {
  const cut = cutToCap(text, cap);
  const parsed = parsePlan(cut.text);
  const goal = parsed.ok ? parsed.body.goal : (text.trim().split("\n")[0] ?? "").trim();
  const body: PlanBody = { goal, steps: [], decisionPoints: [], checkpoints: [], rollback: [] };
  return { body, markdown: cut.text, ...(cut.truncated ? { truncated: cut.truncated } : {}) };
}

/**
 * A normalised body and its text below the limit (in Unicode scalars). The result is always the beginning of the whole
 * text. An entry that is too long is shortened, unless it is a command.
 */
export function capBody(whole: PlanBody, prose: PlanProse = noProse, cap = maxPlanScalars): CappedPlan {
  const text = renderPlan(whole, prose);
  const of = countScalars(text);
  if (of <= cap) return { body: whole, markdown: text };
  const { preamble } = prose;
  const room = cap - truncationMarker(of, of).length - 1;
  if (countScalars(preamble) > room) return capFreeText(preamble, cap);
  const cutTo = (body: PlanBody, notes: string): CappedPlan => {
    const beginning = renderPlan(body, { preamble, notes });
    const kept = countScalars(beginning);
    const markdown = `${beginning}\n${truncationMarker(kept, of)}`;
    return { body, markdown, truncated: { kept, of } };
  };
  const sizeOf = (body: PlanBody) => countScalars(renderPlan(body, { preamble, notes: "" }));
  // Allows for "# Notes" and the blank lines around it.
  const left = room - sizeOf(whole) - 12;
  if (left >= 0) return cutTo(whole, asNotes(takeScalars(prose.notes, left)));
  const pieces = piecesOf(whole);
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sizeOf(assemble(pieces, middle)) <= room) low = middle;
    else high = middle - 1;
  }
  const body = assemble(pieces, low);
  addPart(body, pieces, low, room, sizeOf);
  return cutTo(body, "");
}

/** One entry of a plan, in the order of the text. */
interface PlanPiece {
  add(body: PlanBody, text: string): void;
  /** Prose that may be shortened; empty if a part of the entry would mean something else. */
  prose: string;
}

function piecesOf(whole: PlanBody): PlanPiece[] {
  return [
    { prose: whole.goal, add: (body, text) => (body.goal = text.trim()) },
    ...whole.steps.flatMap(stepPieces),
    ...whole.decisionPoints.map((point) =>
      typeof point === "string"
        ? prose(point, (body, text) => body.decisionPoints.push(text))
        : entry((body) => body.decisionPoints.push(point)),
    ),
    ...whole.checkpoints.map((checkpoint) =>
      typeof checkpoint === "string"
        ? prose(checkpoint, (body, text) => body.checkpoints.push(text))
        : entry((body) => body.checkpoints.push(checkpoint)),
    ),
    ...whole.rollback.map((line) => prose(line, (body, text) => body.rollback.push(text))),
  ];
}

function stepPieces(step: PlanBody["steps"][number]): PlanPiece[] {
  const head: PlanPiece = {
    prose: step.description,
    add(body, description) {
      const bare = {
        actions: [],
        preconditions: [],
        postconditions: [],
        checkpoint: null,
        onFail: "ask" as const,
      };
      body.steps.push({ id: step.id, description: description.trim(), ...bare });
    },
  };
  type Change = (last: PlanBody["steps"][number], text: string) => void;
  const onLast = (whole: string, change: Change): PlanPiece => ({
    prose: whole,
    add(body, text) {
      const last = body.steps.at(-1);
      if (last) change(last, text.trim());
    },
  });
  return [
    head,
    ...step.actions.map((text) => onLast(text, (last, part) => last.actions.push(part))),
    ...step.preconditions.map((text) => onLast(text, (last, part) => last.preconditions.push(part))),
    ...step.postconditions.map((text) => onLast(text, (last, part) => last.postconditions.push(part))),
    onLast("", (last) => (last.checkpoint = step.checkpoint)),
    onLast("", (last) => (last.onFail = step.onFail)),
  ];
}

function entry(add: (body: PlanBody) => void): PlanPiece {
  return { prose: "", add };
}

function prose(whole: string, add: (body: PlanBody, text: string) => void): PlanPiece {
  return { prose: whole, add: (body, text) => add(body, text.trim()) };
}

function assemble(pieces: readonly PlanPiece[], count: number): PlanBody {
  const body: PlanBody = { goal: "", steps: [], decisionPoints: [], checkpoints: [], rollback: [] };
  for (const piece of pieces.slice(0, count)) piece.add(body, piece.prose);
  return body;
}

/**
 * Adds the beginning of the first entry that did not fit, if it is prose and the remaining room is large enough to be
 * useful.
 */
function addPart(
  body: PlanBody,
  pieces: readonly PlanPiece[],
  count: number,
  room: number,
  sizeOf: (body: PlanBody) => number,
): void {
  const piece = pieces[count];
  if (!piece || piece.prose === "") return;
  const trial = assemble(pieces, count);
  piece.add(trial, "x");
  const left = room - (sizeOf(trial) - 1);
  // Each line of a goal may need a backslash that the trial did not need.
  if (left >= 100) piece.add(body, takeScalars(piece.prose, left - 2));
}
