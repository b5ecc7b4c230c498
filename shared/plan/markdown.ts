// The canonical text of a plan and the way back (PROTOCOL 7). Status, notes and snapshots never stand in it.
import { parseCheckpoints, parseRollback, renderCheckpoints, renderRollback } from "./markdown-lists.ts";
import { parseDecisionPoints, renderDecisionPoints } from "./markdown-questions.ts";
import { parseSteps, renderSteps } from "./markdown-steps.ts";
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
/** What would end the goal if a line of it began so. */
const goalMark = /^(#{1,6}(\s|$)|\[truncated: )/;

/**
 * The canonical text of a normalised body, without a final line break.
 * `preamble`: free text that stands in place of the goal (see `preambleOf`).
 */
export function renderPlan(body: PlanBody, preamble = ""): string {
  const goal = body.goal === "" ? [] : body.goal.split("\n").map((line) => escapeMark(line, goalMark));
  const sections: [string, string[]][] = [
    ["# Goal", preamble === "" ? goal : []],
    ["# Plan", renderSteps(body.steps)],
    ["# Decision points", renderDecisionPoints(body.decisionPoints)],
    ["# Checkpoints", renderCheckpoints(body.checkpoints)],
    ["# Rollback", renderRollback(body.rollback)],
  ];
  const texts = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([heading, lines]) => `${heading}\n\n${lines.join("\n")}`);
  return (preamble === "" ? texts : [preamble, ...texts]).join("\n\n");
}

export type ParsedPlan = { ok: true; body: PlanBody } | { ok: false; line: number; problem: string };

/**
 * The structure of a plan's text, hand edits included; problems name the line, counted from 1.
 * Text without our headings is a plan without steps whose goal is its first line. Steps without
 * `[id]` get free ids, none of those in `takenIds`.
 */
export function parsePlan(markdown: string, takenIds: Iterable<string> = []): ParsedPlan {
  try {
    return { ok: true, body: parseBody(sourceLines(markdown), takenIds) };
  } catch (error) {
    if (error instanceof LineProblem) return { ok: false, line: error.line, problem: error.message };
    throw error;
  }
}

/** Whether none of our headings stands in the text, so that it is kept as it is. */
export function isFreeText(markdown: string): boolean {
  return !splitLines(markdown).some(isOurHeading);
}

/**
 * The free text that stands in place of a goal before the first of our headings; without any such
 * heading the whole text. A plan of free text that got steps later has this form.
 */
export function preambleOf(markdown: string): string {
  const lines = splitLines(markdown);
  const first = lines.findIndex(isOurHeading);
  const text = (first < 0 ? lines : lines.slice(0, first)).join("\n").trimEnd();
  return text.trim() === "" ? "" : text;
}

/** `text` as a preamble: lines that would be read as headings are moved in by one space, which Markdown ignores. */
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

function sectionOf(title: string): SectionName | undefined {
  const name = title
    .toLowerCase()
    .split(/[\s:#]+/)
    .filter(Boolean)
    .join(" ");
  return sectionNames.find((known) => known === name);
}

function parseBody(lines: readonly SourceLine[], takenIds: Iterable<string>): PlanBody {
  const first = lines.findIndex(({ text }) => isOurHeading(text));
  const before = first < 0 ? lines : lines.slice(0, first);
  const sections = first < 0 ? new Map<SectionName, SourceLine[]>() : splitSections(lines.slice(first));
  if (first >= 0) checkPreamble(before, sections.has("goal"));
  const section = (name: SectionName) => sections.get(name) ?? [];
  return {
    goal: sections.has("goal")
      ? parseGoal(section("goal"))
      : (before.find(({ text }) => text.trim() !== "")?.text.trim() ?? ""),
    steps: parseSteps(section("plan"), takenIds),
    decisionPoints: parseDecisionPoints(section("decision points")),
    checkpoints: parseCheckpoints(section("checkpoints")),
    rollback: parseRollback(section("rollback")),
  };
}

function splitSections(lines: readonly SourceLine[]): Map<SectionName, SourceLine[]> {
  const sections = new Map<SectionName, SourceLine[]>();
  let current: SourceLine[] = [];
  for (const line of lines) {
    const heading = headingLine.exec(line.text);
    if (!heading) {
      current.push(line);
      continue;
    }
    const name = sectionOf(heading[2] ?? "");
    if (name === undefined) throw unknownHeading(line);
    if (sections.has(name))
      throw new LineProblem(line.number, `the heading \`${line.text.trim()}\` stands twice`);
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
    `unknown heading \`${line.text.trim()}\`; known are # Goal, # Plan, # Decision points, # Checkpoints, # Rollback`,
  );
}

function parseGoal(lines: readonly SourceLine[]): string {
  return fewLines(lines.map(({ text }) => unescapeMark(text.trim(), goalMark)).join("\n"), 2);
}
