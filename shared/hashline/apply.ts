// Applies the edits of one file (PROTOCOL 5): either all of them or none. A pure function of texts; it neither keeps
// versions nor writes files.

import { type Alignment, align, locate } from "./align.ts";
import { anchorPlaces } from "./anchor-places.ts";
import { countLineChanges } from "./diff.ts";
import type { Edit } from "./edit.ts";
import { inFileOrder, overlaps } from "./overlap.ts";
import { type Planned, planLineEdits, ranks } from "./plan-edits.ts";
import { planMoves } from "./plan-move.ts";
import { planTextEdits } from "./plan-text.ts";
import type { Problem } from "./problem.ts";
import { type KnownRows, renderPlaces } from "./regions.ts";
import { type Rejected, reject } from "./rejection.ts";
import { type Region, type Splice, type SplicedRegion, spliceText } from "./splice.ts";
import { splitText, type TextLines, withoutCr } from "./text.ts";
import { echoes, outdented, rebased, told } from "./warnings.ts";

export interface ApplyInput {
  /** The file as it is now. */
  live: string;
  /** The content of the version to which the references refer. Absent: `live`. */
  base?: string | undefined;
  edits: readonly Edit[];
  /** For the headers above the rows of a refusal: the file's path and the id of the live version. */
  path?: string | undefined;
  version?: string | undefined;
  /** Matches the marks that replace secrets in rows; default `[redacted]` and `[redacted: kind]`. */
  redaction?: RegExp | undefined;
  /** The length at which rows of this file are clipped; default as in rows.ts. */
  maxLineChars?: number | undefined;
  /** How often the same request was already refused because it changes nothing. */
  earlierNoChanges?: number | undefined;
}

/** `regions`: changed lines of `text`, from 1, both included; `end = start - 1` if lines were only removed. */
export interface AppliedEdits {
  ok: true;
  text: string;
  added: number;
  removed: number;
  regions: { start: number; end: number }[];
  /** The changed regions of the new text with two rows around each; `...` separates regions that are far apart. */
  rows: string;
  warnings: string[];
}

const shownAround = 2;
const shownRegionRows = 120;
const shownRows = 240;
/** A tool result may have 16 KB, some of which the diff and the header need. */
const shownChars = 12_000;

/** Never throws. Base and live are compared by whole lines, including a CR at a line's end. */
export function applyEdits(input: ApplyInput): AppliedEdits | Rejected {
  const live = splitText(input.live);
  const stale = input.base !== undefined && input.base !== input.live;
  const base = stale ? splitText(input.base ?? "") : live;
  const options = { ...input, places: anchorPlaces(() => live.lines) };
  const lineEdits = planLineEdits(input.edits, base, options);
  const textEdits = planTextEdits(input.edits, base, options);
  const moves = planMoves(input.edits, base, options);
  const planned = inFileOrder([...lineEdits.planned, ...textEdits.planned, ...moves.planned]);
  const problems = [...lineEdits.problems, ...textEdits.problems, ...moves.problems, ...overlaps(planned)];
  const alignment = stale ? align(comparable(base), comparable(live)) : null;
  const placed = place(planned, base, live, alignment, problems);
  const refuse = (all: readonly Problem[]): Rejected =>
    reject({ ...input, problems: all, live: live.lines, alignment });
  if (stale && planned.length > 0 && problems.every(({ reason }) => reason === "stale_lines")) {
    // The request was sent a second time: the file already is what it would produce.
    const own = planned.map(({ from, to, lines }) => ({ at: from, remove: to - from, lines }));
    if (spliceText(input.base ?? "", base, own).text === input.live)
      return refuse([noChange(planned, input)]);
  }
  if (problems.length > 0) return refuse(problems);

  const { lines, text, regions } = spliceText(input.live, live, placed);
  if (text === input.live) return refuse([noChange(planned, input)]);

  const warnings = [...lineEdits.warnings, ...textEdits.warnings];
  if (alignment) warnings.push(rebased(planned, placed));
  warnings.push(...echoes(planned, placed, regions, input.edits, live, lines));
  warnings.push(...outdented(planned, base, input.edits));
  const total = lines.lines.length;
  const changed = regions.flatMap((region) =>
    region ? [{ from: Math.min(region.from, total), to: Math.min(region.to, total) }] : [],
  );
  return {
    ok: true,
    text,
    ...countLineChanges(live, lines),
    regions: joinRegions(changed).map(({ from, to }) => ({ start: from + 1, end: to })),
    rows: renderPlaces(lines.lines, changed, {
      around: shownAround,
      maxPlaceRows: shownRegionRows,
      maxRows: shownRows,
      maxChars: shownChars,
      maxLineChars: input.maxLineChars,
      known: regions.flatMap((region, index) => knownRows(region, planned[index])),
    }),
    warnings: told(warnings),
  };
}

/** The lines of the new text that the model knows already, because the request contains or moves them. */
function knownRows(region: SplicedRegion | null, one: Planned | undefined): KnownRows[] {
  if (!region || !one) return [];
  const from = region.from + Math.max(one.known.from - region.head, 0);
  const to = Math.min(region.from + one.known.to - region.head, region.to);
  return [{ from, to, as: one.moved ? "moved" : "sent" }];
}

/** The lines in the form used for comparison: the last line is treated as if it had a line end. */
function comparable(text: TextLines): readonly string[] {
  const last = text.lines.length - 1;
  if (text.finalNewline || last < 1 || !text.lines[last - 1]?.endsWith("\r")) return text.lines;
  return text.lines.with(last, `${withoutCr(text.lines[last] ?? "")}\r`);
}

/** Places the planned edits in live; those without a provable place are reported in `problems`. */
function place(
  planned: readonly Planned[],
  base: TextLines,
  live: TextLines,
  alignment: Alignment | null,
  problems: Problem[],
): Splice[] {
  return planned.map((one) => {
    const { from, to, lines, guard } = one;
    const remove = to - from;
    if (!alignment) return { at: from, remove, lines };
    if (!guard) return { at: one.rank === ranks.prepend ? 0 : live.lines.length, remove, lines };
    const at = guard.to > guard.from ? locate(alignment, guard.from, guard.to) : null;
    if (at === null) {
      for (const edit of one.edits)
        problems.push({ reason: "stale_lines", edit, text: staleText(one, base), show: [guard] });
    }
    return { at: (at ?? 0) + from - guard.from, remove, lines };
  });
}

function staleText(one: Planned, base: TextLines): string {
  const { from, to } = one.guard ?? one;
  const lines =
    to - from <= 1 ? `line ${from + 1}` : `lines ${from + 1} to ${Math.min(to, base.lines.length)}`;
  return `the file has changed since, and ${lines} of the version you mean cannot be placed with certainty`;
}

function noChange(planned: readonly Planned[], input: ApplyInput): Problem {
  const edit = input.edits.length === 1 ? 0 : -1;
  const [first] = planned;
  const show = first ? { show: [{ from: first.from, to: first.to }] } : {};
  if (input.edits.length === 0) return { reason: "no_change", edit: -1, text: "there are no edits in it" };
  const earlier = input.earlierNoChanges ?? 0;
  if (earlier < 2)
    return { reason: "no_change", edit, text: "already applied: the file reads like that", ...show };
  const text = `this same request has now changed nothing ${earlier + 1} times; do not send it again: read the file, and do something else`;
  return { reason: "no_change_repeated", edit, text, ...show };
}

function joinRegions(regions: readonly Region[]): Region[] {
  const joined: Region[] = [];
  for (const region of regions) {
    const last = joined.at(-1);
    if (last && region.from <= last.to) last.to = Math.max(last.to, region.to);
    else joined.push({ ...region });
  }
  return joined;
}
