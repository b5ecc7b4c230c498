// Finds the steps of a model's plan: headings such as `Step 1: x`, or the entries of one of its lists.

import { announcesOther, announcesSteps } from "./announcing.ts";
import { type Marker, plainTitle, type WrittenLine } from "./lines.ts";
import { readStep, type StepBody } from "./step-body.ts";
import { kindOfTitle, stepWords } from "./titles.ts";

/** Steps, and the lines of the section that belong to none of them. */
export interface FoundSteps {
  steps: StepBody[];
  rest: WrittenLine[];
  /** How many lines of `rest` come before the first step. */
  before: number;
  /** The steps are headings such as `Phase 1: x`. */
  headed?: true;
}

/** Drops the line before the first step if it only announces the steps. */
function opened(found: FoundSteps): void {
  if (found.steps.length > 0 || found.before > 0) return;
  const last = found.rest.findLastIndex(({ kind }) => kind !== "blank");
  const line = found.rest[last];
  if (line?.kind === "text" && line.text.endsWith(":")) found.rest.length = last;
  found.before = found.rest.length;
}

/**
 * The headings that are steps, with the lines below each. `explicit`: the section is called a plan, so one such heading
 * is enough.
 */
export function stepsOfHeadings(lines: readonly WrittenLine[], explicit: boolean): FoundSteps | undefined {
  const headings = lines.filter((line) => line.kind === "heading");
  const levels = [...new Set(headings.map(({ level }) => level))].sort((a, b) => a - b);
  for (const level of levels) {
    const here = headings.filter((line) => line.level === level && isStepHeading(line.text));
    if (here.length >= (explicit ? 1 : 2) && !isOutline(here)) return below(lines, new Set(here));
    const unnamed = headings.filter((line) => line.level === level && kindOfTitle(line.text) === "other");
    if (explicit && here.length === 0 && unnamed.length >= 2 && listsRestart(lines, unnamed))
      return below(lines, new Set(unnamed));
  }
  return undefined;
}

function isStepHeading(title: string): boolean {
  const words = stepWords(title);
  return words !== undefined && (words === "" || kindOfTitle(words) === "other" || !/^\d/.test(title));
}

/** Whether the headings are the numbered chapters of a document, one of which is the plan. */
function isOutline(headings: readonly WrittenLine[]): boolean {
  return headings.some(
    ({ text }) =>
      /^\d/.test(text) &&
      /^(implementation |proposed )?(plan|steps|tasks|changes)\b/i.test(stepWords(text) ?? ""),
  );
}

/** Whether each of these headings has its own list, and no list continues the numbers of the previous one. */
function listsRestart(lines: readonly WrittenLine[], headings: readonly WrittenLine[]): boolean {
  const firsts = headings.map((heading) => {
    const at = lines.indexOf(heading);
    const next = lines.findIndex(
      (line, index) => index > at && line.kind === "heading" && line.level <= heading.level,
    );
    return lines.slice(at + 1, next < 0 ? undefined : next).find((line) => line.kind === "item");
  });
  return (
    firsts.filter(Boolean).length >= 2 &&
    firsts.slice(1).every((first) => first?.marker !== "number" || first.number === 1)
  );
}

function below(lines: readonly WrittenLine[], steps: ReadonlySet<WrittenLine>): FoundSteps {
  const found: FoundSteps = { steps: [], rest: [], before: 0, headed: true };
  let open: { heading: WrittenLine; lines: WrittenLine[] } | undefined;
  const close = () => {
    if (open) found.steps.push(readStep(titleOf(open.heading), open.lines, false));
    open = undefined;
  };
  for (const line of lines) {
    if (steps.has(line)) {
      close();
      opened(found);
      open = { heading: line, lines: [] };
    } else if (open && (line.kind !== "heading" || line.level > open.heading.level)) open.lines.push(line);
    else {
      close();
      found.rest.push(line);
    }
  }
  close();
  return found;
}

function titleOf({ text }: WrittenLine): string {
  return stepWords(text) || plainTitle(text);
}

/** The list whose entries are steps: the best one of the section. `explicit` as above. */
export function stepsOfList(lines: readonly WrittenLine[], explicit: boolean): FoundSteps | undefined {
  const groups = kinds.flatMap((marker) => listsOf(lines, marker));
  const fit = groups.filter((group) => fits(group, lines, explicit));
  const best = fit.reduce<Group | undefined>(
    (most, group) => (most && rank(most) >= rank(group) ? most : group),
    undefined,
  );
  // Lists below several headings count together if a line before them says that they are the plan.
  const told = lines.find(({ kind }) => kind !== "blank")?.text ?? "";
  return best && (explicit || announcesSteps(told)) ? allOf(lines, fit, best) : best && cut(lines, [best]);
}

interface Group {
  marker: Marker | "row";
  /** Indices of the items. */
  items: number[];
}

/** The kinds of lists, from worst to best. */
const kinds = ["bullet", "letter", "row", "box", "number"] as const;
const rank = ({ marker, items }: Group) => kinds.indexOf(marker) * 1000 + items.length;
const markerOf = ({ marker, row }: WrittenLine): Group["marker"] | undefined => (row ? "row" : marker);

/** The lists at the outermost indent. A numbered list that continues after other lines is one list. */
function listsOf(lines: readonly WrittenLine[], marker: Group["marker"]): Group[] {
  const items = lines.flatMap((line, index) => (markerOf(line) === marker ? [{ line, index }] : []));
  const outer = Math.min(...items.map(({ line }) => line.indent));
  // Numbered items below lettered ones are details of those.
  if (lines.some((line) => line.marker === "letter" && line.indent < outer - 1)) return [];
  const groups: Group[] = [];
  let before: WrittenLine | undefined;
  let from = 0;
  for (const { line, index } of items) {
    if (line.indent > outer + 1) continue;
    const last = groups.at(-1);
    const between = lines.slice(from + 1, index);
    const continuesList =
      marker === "number"
        ? (line.number ?? 0) > (before?.number ?? 0) && before?.number !== undefined
        : !between.some(({ kind, indent }) => kind === "heading" || (kind === "text" && indent === 0));
    if (last && continuesList) last.items.push(index);
    else groups.push({ marker, items: [index] });
    before = line;
    from = index;
  }
  return groups;
}

function fits({ marker, items }: Group, lines: readonly WrittenLine[], explicit: boolean): boolean {
  const above = lines.slice(0, items[0]).findLast(({ kind, heads }) => kind !== "blank" && !heads);
  const words = above && (above.kind === "text" || above.kind === "heading") ? above.raw : "";
  if (announcesOther(words)) return false;
  if (explicit) return true;
  const isCounted = marker === "number" || marker === "box" || lines[items[0] ?? 0]?.row?.counts === true;
  return items.length >= 2 && (isCounted || announcesSteps(words));
}

/**
 * In a section that is the plan, the entries of all its lists of the best kind are steps, even below several headings.
 */
function allOf(lines: readonly WrittenLine[], groups: readonly Group[], best: Group): FoundSteps {
  return cut(
    lines,
    groups
      .filter(({ marker }) => marker === best.marker)
      .sort((a, b) => (a.items[0] ?? 0) - (b.items[0] ?? 0)),
  );
}

function cut(lines: readonly WrittenLine[], groups: readonly Group[]): FoundSteps {
  const starts = new Set(groups.flatMap(({ items }) => items));
  const lasts = new Set(groups.flatMap(({ items }) => items.at(-1) ?? []));
  const found: FoundSteps = { steps: [], rest: [], before: 0 };
  let open:
    | { title: string; indent: number; last: boolean; blank: boolean; lines: WrittenLine[] }
    | undefined;
  const close = () => {
    if (open) found.steps.push(readStep(open.title, open.lines, true));
    open = undefined;
  };
  for (const [index, line] of lines.entries()) {
    if (starts.has(index)) {
      close();
      while (line.row && found.rest.at(-1)?.heads) found.rest.pop();
      opened(found);
      const { title = line.text, below = [] } = line.row ?? {};
      open = { title, indent: line.indent, last: lasts.has(index), blank: false, lines: below.map(entry) };
      continue;
    }
    if (open && endsItem(open, line)) close();
    if (!open) found.rest.push(line);
    else {
      open.blank ||= line.kind === "blank";
      open.lines.push(line);
    }
  }
  close();
  return found;
}

function entry(text: string): WrittenLine {
  return { kind: "item", marker: "bullet", raw: text, indent: 2, text, level: 0 };
}

/** After the last item of a list, a paragraph that is not indented does not belong to the item; headings never do. */
function endsItem(open: { indent: number; last: boolean; blank: boolean }, line: WrittenLine): boolean {
  if (line.kind === "heading" || line.heads) return true;
  return open.last && open.blank && line.kind !== "blank" && line.indent <= open.indent;
}
