// Warnings for the model about edits that were applied. It decides nothing.
import type { Edit } from "./edit.ts";
import { labelOf, type Planned } from "./plan-edits.ts";
import type { Region, Splice } from "./splice.ts";
import { type TextLines, withoutCr } from "./text.ts";

const shownWarnings = 20;

/** A model reads only the first few warnings, so the rest are counted. */
export function told(warnings: readonly string[]): string[] {
  const different = [...new Set(warnings)];
  const more = different.length - shownWarnings;
  return more > 0 ? [...different.slice(0, shownWarnings), `and ${more} more warnings`] : different;
}

export function rebased(planned: readonly Planned[], placed: readonly Splice[]): string {
  const moves = planned.flatMap((one, index) => {
    const at = placed[index]?.at ?? one.from;
    return one.guard && at !== one.from ? [`${one.from + 1} → ${at + 1}`] : [];
  });
  const shown = moves.slice(0, 6).join(", ") + (moves.length > 6 ? ", …" : "");
  const where = moves.length === 0 ? "at the same line numbers" : `where their lines went (line ${shown})`;
  return `the file had changed since the version you referred to; the edits landed ${where}`;
}

/**
 * Warns of payloads that repeat the line just outside their place. Usually that line was meant to be replaced, and now
 * it is in the file twice.
 */
export function echoes(
  planned: readonly Planned[],
  placed: readonly Splice[],
  regions: readonly (Region | null)[],
  edits: readonly Edit[],
  live: TextLines,
  result: TextLines,
): string[] {
  const warnings: string[] = [];
  planned.forEach((one, index) => {
    const { at, remove, lines } = placed[index] ?? { at: 0, remove: 0, lines: [] };
    const region = regions[index];
    const label = labelOf(edits[one.edits[0] ?? 0], one.edits[0] ?? 0);
    if (!region) {
      warnings.push(`${label} changes nothing`);
      return;
    }
    // A moved line was in the file before.
    if (one.moved) return;
    const isEcho = (
      payload: string | undefined,
      outside: string | undefined,
      replaced: string | undefined,
    ): boolean =>
      payload !== undefined &&
      outside !== undefined &&
      payload.trim() !== "" &&
      payload === withoutCr(outside) &&
      (remove === 0 || replaced === undefined || withoutCr(replaced) !== payload);
    // Compare with the lines around the whole replaced range: `region` is narrower, because it leaves out lines of the
    // range that the new text repeats.
    const above = isEcho(lines[0], live.lines[at - 1], live.lines[at]);
    const below = isEcho(lines.at(-1), live.lines[at + remove], live.lines[at + remove - 1]);
    const twice = (number: number): string =>
      `${label}: the new text repeats line ${number}, just outside; it is there twice now`;
    if (above && withoutCr(result.lines[region.from - 1] ?? "") === lines[0])
      warnings.push(twice(region.from));
    if (below && withoutCr(result.lines[region.to] ?? "") === lines.at(-1))
      warnings.push(twice(region.to + 1));
  });
  return warnings;
}

/** Warns of new lines without indentation that replace indented ones: usually the model forgot it. */
export function outdented(planned: readonly Planned[], base: TextLines, edits: readonly Edit[]): string[] {
  return planned.flatMap((one) => {
    const was = Math.min(...indents(base.lines.slice(one.from, one.to)));
    if (one.moved || was === Infinity || was === 0 || Math.max(...indents(one.lines)) !== 0) return [];
    const [edit = 0] = one.edits;
    return `${labelOf(edits[edit], edit)}: the lines that it replaces are indented by ${was}, and the new ones begin at the margin; if that is not meant, send them again with their indentation`;
  });
}

/** The indents in characters of lines that are not blank; the first 1,000 lines are enough. */
function indents(lines: readonly string[]): number[] {
  return lines.slice(0, 1_000).flatMap((line) => (line.trim() === "" ? [] : [line.search(/\S/)]));
}
