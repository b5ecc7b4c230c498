// Reads a plan as models write it: with any headings or none, lists of any kind, checks in words or code. Text that
// fits no part of a plan is kept as notes. Plans in our own form are parsed by ../markdown.ts.
import type { BodyInput, LooseQuestion } from "../plan-body.ts";
import type { PlanCheckpoint } from "../plan-file.ts";
import { markdownBlock } from "../plan-lines.ts";
import { handsOver } from "./announcing.ts";
import { commandIn, commandsOfCode } from "./commands.ts";
import { plainTitle, type WrittenLine } from "./lines.ts";
import { readPoints } from "./questions.ts";
import type { StepBody } from "./step-body.ts";
import { type FoundSteps, stepsOfHeadings, stepsOfList } from "./step-lists.ts";
import { readLines } from "./tables.ts";
import { untagged } from "./tags.ts";
import { kindOfTitle, type SectionKind, stepWords, titleWithoutPlan } from "./titles.ts";

export interface ReadPlan {
  input: BodyInput;
  /** All other text, as it was written. */
  notes: string;
}

/** A longer text is a chapter, not a goal. */
const maxGoalChars = 400;

interface PlanSection {
  kind: SectionKind;
  heading: WrittenLine | undefined;
  lines: WrittenLine[];
}

/** Returns undefined if no steps are found. `goal` is used if the text does not name one. */
export function readOrdinaryPlan(text: string, goal = ""): ReadPlan | undefined {
  const lines = readLines(untagged(text));
  const sections = sectionsOf(lines);
  const found = findSteps(sections);
  if (!found || found.steps.every(({ step }) => step.description === "")) {
    const inside = markdownBlock(text);
    return inside === "" ? undefined : readOrdinaryPlan(inside, goal);
  }
  const notes: string[] = [];
  const points: (string | LooseQuestion)[] = [];
  const checkpoints: PlanCheckpoint[] = [];
  const rollback: string[] = [];
  const title = titleOf(sections);
  let named = "";
  for (const section of sections) {
    if (section.kind === "decisions") points.push(...readPoints(section.lines));
    else if (section.kind === "checkpoints") notes.push(...readChecks(section, checkpoints));
    else if (section.kind === "rollback") rollback.push(...entriesOf(section.lines));
    else {
      const rest = found.rest.get(section)?.rest ?? section.lines;
      const takes = named === "" && (section.kind === "goal" || section.kind === "summary");
      const said = takes ? goalOf(rest) : undefined;
      named ||= said?.goal ?? "";
      notes.push(...notesOf(section, said?.rest ?? rest, section.kind === "goal", title));
    }
  }
  const steps = found.steps.filter(({ step }) => step.description !== "");
  notes.push(...codeOf(steps));
  const opening = named || title ? "" : openingOf(sections, found);
  const noted = notes
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return {
    input: {
      goal: named || title || opening || goal,
      steps: steps.map(({ step }) => step),
      decisionPoints: points,
      checkpoints,
      rollback,
    },
    // Text that became the goal is not repeated in the notes.
    notes: opening !== "" && noted.startsWith(opening) ? noted.slice(opening.length).trim() : noted,
  };
}

/** A heading and the lines below it, up to the next section. */
function sectionsOf(lines: readonly WrittenLine[]): PlanSection[] {
  const sections: PlanSection[] = [{ kind: "other", heading: undefined, lines: [] }];
  for (const line of lines) {
    const open = sections.at(-1);
    const kind = line.kind === "heading" ? kindOfTitle(line.text) : "other";
    if (line.kind !== "heading" || (open && staysIn(open, line, kind))) open?.lines.push(line);
    // Headings with unknown names are classified later, because their numbers may make them steps.
    else if (kind === "other" && open?.kind === "other") open.lines.push(line);
    else if (kind === "other") sections.push({ kind, heading: undefined, lines: [line] });
    else sections.push({ kind, heading: line, lines: [] });
  }
  return sections;
}

/**
 * A heading inside the plan that is a step or a chapter stays in the plan. So do checks named below one of those, in
 * any section.
 */
function staysIn(open: PlanSection, { level }: WrittenLine, kind: SectionKind): boolean {
  const inner = open.lines.filter((line) => line.kind === "heading" && line.level < level);
  if (
    ["checkpoints", "plan", "goal"].includes(kind) &&
    inner.some(({ text }) => open.kind === "plan" || stepWords(text) !== undefined)
  )
    return true;
  return open.kind === "plan" && kind === "other" && level > (open.heading?.level ?? 0);
}

interface FoundPlan {
  steps: StepBody[];
  /** The sections with the lines from which no steps were taken. */
  rest: Map<PlanSection, FoundSteps>;
}

function findSteps(sections: readonly PlanSection[]): FoundPlan | undefined {
  const plans = sections.filter(({ kind }) => kind === "plan");
  const others = sections.filter(({ kind }) => kind === "other" || kind === "summary");
  for (const [group, explicit] of [
    [plans, true],
    [others, false],
  ] as const) {
    const found = group.map((section) => ({ section, taken: stepsIn(section.lines, explicit) }));
    const taken = found.filter(
      (one): one is { section: PlanSection; taken: FoundSteps } => one.taken !== undefined,
    );
    // If no section is called a plan, one group of steps is the plan: steps that are headings if there are any,
    // otherwise the longest list. Sections that are called a plan contribute all their steps.
    const most = Math.max(0, ...taken.map(weight));
    const kept = explicit ? taken : taken.filter((one) => weight(one) === most).slice(0, 1);
    if (kept.length > 0)
      return {
        steps: kept.flatMap((one) => one.taken.steps),
        rest: new Map(kept.map((one) => [one.section, one.taken])),
      };
  }
  return undefined;
}

function weight({ taken: { steps, headed } }: { taken: FoundSteps }): number {
  return steps.length + (headed ? 1000 : 0);
}

function stepsIn(lines: readonly WrittenLine[], explicit: boolean): FoundSteps | undefined {
  return stepsOfHeadings(lines, explicit) ?? stepsOfList(lines, explicit);
}

function readChecks({ heading, lines }: PlanSection, into: PlanCheckpoint[]): string[] {
  const left: string[] = [];
  let block: string[] = [];
  const end = () => {
    const commands = block.length > 0 ? commandsOfCode(block) : [];
    if (commands) into.push(...commands.map((command) => ({ command })));
    else left.push(...block);
    block = [];
  };
  for (const line of lines) {
    if (line.kind === "code") {
      block.push(line.raw);
      continue;
    }
    end();
    if (line.kind === "blank") continue;
    const text = line.text.replace(/^(?:checks?|verify|run)\s*:\s*/i, "");
    const command = commandIn(text);
    if (command !== undefined) into.push({ command });
    else if (!(line.kind === "text" && text.endsWith(":"))) into.push(line.text);
  }
  end();
  return left.length > 0 ? [heading?.raw ?? "", "", ...left, ""] : [];
}

function entriesOf(lines: readonly WrittenLine[]): string[] {
  return lines
    .filter(({ kind, text }) => kind !== "blank" && !(kind === "text" && text.endsWith(":")))
    .map(({ text, raw, kind }) => (kind === "code" ? raw.trim() : text))
    .filter((text) => !/^(```|~~~)/.test(text));
}

/** The first paragraph, if it is short enough to state the plan's goal. */
function goalOf(lines: readonly WrittenLine[]): { goal: string; rest: WrittenLine[] } | undefined {
  const from = lines.findIndex(({ kind }) => kind !== "blank");
  const first = lines[from];
  if (!first || (first.kind !== "text" && first.kind !== "item")) return undefined;
  const after = lines.findIndex(
    (line, index) => index > from && (line.kind !== "text" || line.text.startsWith("|")),
  );
  const paragraph = lines.slice(from, after < 0 ? undefined : after);
  const goal = paragraph.map(({ text }) => text).join("\n");
  // A sentence that announces a list means nothing without it.
  if (goal.length > maxGoalChars || (goal.endsWith(":") && lines[after]?.kind === "item")) return undefined;
  return { goal, rest: after < 0 ? [] : lines.slice(after) };
}

function titleOf(sections: readonly PlanSection[]): string {
  const headings = sections.flatMap(({ heading, lines }) => [
    ...(heading ? [heading] : []),
    ...lines.slice(0, 3).filter(({ kind }) => kind === "heading"),
  ]);
  const title = headings.find(({ level }) => level <= 2);
  return title === undefined || kindOfTitle(title.text) !== "other"
    ? ""
    : titleWithoutPlan(plainTitle(title.text));
}

/** The words before the steps, if they say more than that a plan follows. */
function openingOf([first]: readonly PlanSection[], found: FoundPlan): string {
  const taken = first && found.rest.get(first);
  const goal = goalOf(taken ? taken.rest.slice(0, taken.before) : (first?.lines ?? []))?.goal ?? "";
  return /[:?]$/.test(goal) || handsOver(goal) ? "" : goal;
}

/**
 * A section as it was written; nothing if only its title is left. `taken`: its steps were taken, so the title is not
 * needed.
 */
function notesOf(
  { heading, kind }: PlanSection,
  rest: readonly WrittenLine[],
  taken: boolean,
  title: string,
): string[] {
  const lines = rest.filter(
    (line) => !(line.kind === "heading" && title !== "" && line.text.includes(title)),
  );
  if (lines.every((line) => line.kind === "blank" || line.kind === "heading") && headless(lines)) return [];
  const head = heading && !taken && kind !== "plan" ? [heading.raw, ""] : [];
  return [...head, ...lines.map(({ raw }) => raw), ""];
}

function headless(lines: readonly WrittenLine[]): boolean {
  return lines.filter(({ kind }) => kind === "heading").length <= 1;
}

/** The code below steps, with each block labelled by its step. */
function codeOf(steps: readonly StepBody[]): string[] {
  return steps.flatMap(({ code }, index) =>
    code.length === 0 ? [] : [`Step ${index + 1}:`, "", ...code, ""],
  );
}
