// Renders a plan as its canonical text and parses that text (PROTOCOL 7). Status, notes and snapshots are never part of
// it.
import { parseCheckpoints, parseRollback, renderCheckpoints, renderRollback } from "./markdown-lists.ts";
import { parseDecisionPoints, renderDecisionPoints } from "./markdown-questions.ts";
import { type NamedStep, parseSteps, renderSteps } from "./markdown-steps.ts";
import type { PlanBody } from "./plan-file.ts";
import {
  escapeMark,
  fewLines,
  LineProblem,
  type SourceLine,
  splitLines,
  unescapeMark,
} from "./plan-lines.ts";
import { isTruncationMarker } from "./scalars.ts";

const sectionNames = ["goal", "plan", "decision points", "checkpoints", "rollback"] as const;
type SectionName = (typeof sectionNames)[number];

const headingLine = /^(#{1,6})(?:\s+(.*))?$/;
/** A line of the goal that begins like this would end the goal when it is parsed, so it is escaped. */
const goalMark = /^(#{1,6}(\s|$)|\[truncated: )/;

/** The parts of a plan's text outside its body; "" if there are none. */
export interface PlanProse {
  /** Free text in place of the goal, before the first of our headings. */
  preamble: string;
  /** Everything below `# Notes`, which always comes last; nothing below it is part of the body. */
  notes: string;
}

const noProse: PlanProse = { preamble: "", notes: "" };

/** The canonical text of a normalised body, without a final line break. */
export function renderPlan(body: PlanBody, { preamble, notes }: PlanProse = noProse): string {
  const goal = body.goal === "" ? [] : body.goal.split("\n").map((line) => escapeMark(line, goalMark));
  const sections: [string, string[]][] = [
    ["# Goal", preamble === "" ? goal : []],
    ["# Plan", renderSteps(body.steps)],
    ["# Decision points", renderDecisionPoints(body.decisionPoints)],
    ["# Checkpoints", renderCheckpoints(body.checkpoints)],
    ["# Rollback", renderRollback(body.rollback)],
    ["# Notes", notes === "" ? [] : [notes]],
  ];
  const texts = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([heading, lines]) => `${heading}\n\n${lines.join("\n")}`);
  return (preamble === "" ? texts : [preamble, ...texts]).join("\n\n");
}

/** A line of free text that does not say what the plan is for. Headings of other levels than ours count as text. */
const noGoal = /^\s*(#+\s*goal\W*)?$/i;

export type ParsedPlan = { ok: true; body: PlanBody } | { ok: false; line: number; problem: string };

/**
 * Parses a plan's text, which a person may have edited; problems name the line, counted from 1. A text without our
 * headings is a plan without steps, whose goal is the first line that states one. A step without `[id]` gets the id of
 * a step in `known` that says the same, or else a free one that is not in `takenIds`.
 */
export function parsePlan(
  markdown: string,
  takenIds: Iterable<string> = [],
  known: readonly NamedStep[] = [],
): ParsedPlan {
  try {
    return { ok: true, body: parseBody(sourceLines(markdown), takenIds, known) };
  } catch (error) {
    if (error instanceof LineProblem) return { ok: false, line: error.line, problem: error.message };
    throw error;
  }
}

/** Whether the text has none of our headings and is therefore kept as it is. */
export function isFreeText(markdown: string): boolean {
  return !splitLines(markdown).some(isOurHeading);
}

/**
 * The prose of a plan's text. Without our headings the whole text is preamble; a plan of free text to which steps were
 * added later also has a preamble.
 */
export function proseOf(markdown: string): PlanProse {
  const lines = sourceLines(markdown).map(({ text }) => text);
  const first = lines.findIndex(isOurHeading);
  const preamble = (first < 0 ? lines : lines.slice(0, first)).join("\n").trimEnd();
  const notes = first < 0 ? -1 : lines.findIndex((line, index) => index > first && isNotesHeading(line));
  // A marker on its own would be parsed as the end of a truncated text.
  const isEmpty = preamble.trim() === "" || isTruncationMarker(preamble.trim());
  return {
    preamble: isEmpty ? "" : preamble,
    notes: notes < 0 ? "" : asNotes(lines.slice(notes + 1).join("\n")),
  };
}

/** `text` as notes: without blank lines around it, and with LF as the only line break. */
export function asNotes(text: string): string {
  return splitLines(text)
    .join("\n")
    .replace(/^(?:\s*\n)+/, "")
    .trimEnd();
}

/** `text` as a preamble: lines that would be parsed as headings are indented by one space, which Markdown ignores. */
export function asPreamble(text: string): string {
  return splitLines(text)
    .map((line) => (headingLine.test(line) ? ` ${line}` : line))
    .join("\n")
    .trimEnd();
}

function sourceLines(markdown: string): SourceLine[] {
  const lines = splitLines(markdown.replace(/^\uFEFF/, "")).map((text, index) => ({
    text,
    number: index + 1,
  }));
  const last = lines.findLastIndex(({ text }) => text.trim() !== "");
  return last >= 0 && isTruncationMarker(lines[last]?.text.trimEnd() ?? "") ? lines.slice(0, last) : lines;
}

function isOurHeading(line: string): boolean {
  const heading = headingLine.exec(line);
  return heading?.[1] === "#" && sectionOf(heading[2] ?? "") !== undefined;
}

function isNotesHeading(line: string): boolean {
  return /^#\s+notes\s*:?\s*$/i.test(line);
}

function sectionOf(title: string): SectionName | undefined {
  const name = title
    .toLowerCase()
    .split(/[\s:#]+/)
    .filter(Boolean)
    .join(" ");
  return sectionNames.find((known) => known === name);
}

function parseBody(
  lines: readonly SourceLine[],
  takenIds: Iterable<string>,
  known: readonly NamedStep[],
): PlanBody {
  const first = lines.findIndex(({ text }) => isOurHeading(text));
  const before = first < 0 ? lines : lines.slice(0, first);
  const sections = first < 0 ? new Map<SectionName, SourceLine[]>() : splitSections(lines.slice(first));
  if (first >= 0) checkPreamble(before, sections.has("goal"));
  const section = (name: SectionName) => sections.get(name) ?? [];
  return {
    goal: sections.has("goal")
      ? parseGoal(section("goal"))
      : (before.find(({ text }) => !noGoal.test(text))?.text.trim() ?? ""),
    steps: parseSteps(section("plan"), takenIds, known),
    decisionPoints: parseDecisionPoints(section("decision points")),
    checkpoints: parseCheckpoints(section("checkpoints")),
    rollback: parseRollback(section("rollback")),
  };
}

function splitSections(lines: readonly SourceLine[]): Map<SectionName, SourceLine[]> {
  const sections = new Map<SectionName, SourceLine[]>();
  let current: SourceLine[] = [];
  for (const line of lines) {
    if (isNotesHeading(line.text)) break;
    const heading = headingLine.exec(line.text);
    if (!heading) {
      current.push(line);
      continue;
    }
    const name = sectionOf(heading[2] ?? "");
    if (name === undefined) throw unknownHeading(line);
    if (sections.has(name))
      throw new LineProblem(line.number, `the heading \`${line.text.trim()}\` comes twice`);
    current = [];
    sections.set(name, current);
  }
  return sections;
}

function checkPreamble(before: readonly SourceLine[], hasGoal: boolean): void {
  for (const line of before) {
    if (line.text.trim() === "") continue;
    if (headingLine.test(line.text)) throw unknownHeading(line);
    if (hasGoal)
      throw new LineProblem(
        line.number,
        "text before the first heading; move it under `# Goal` or remove it",
      );
  }
}

function unknownHeading(line: SourceLine): LineProblem {
  return new LineProblem(
    line.number,
    `unknown heading \`${line.text.trim()}\`; known are # Goal, # Plan, # Decision points, # Checkpoints, # Rollback, # Notes`,
  );
}

function parseGoal(lines: readonly SourceLine[]): string {
  return fewLines(lines.map(({ text }) => unescapeMark(text.trim(), goalMark)).join("\n"), 2);
}
