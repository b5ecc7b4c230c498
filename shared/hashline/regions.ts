// Rows of several places of one text: near places joined, far ones apart, the middle of long ones left out.

import type { Span } from "./problem.ts";
import { renderHeader, rowOf } from "./rows.ts";

export interface PlacesOptions {
  /** Rows shown around each place. */
  around: number;
  /** Rows of one place after which its middle is left out, and of all places together. */
  maxPlaceRows: number;
  maxRows: number;
  /** Limit of the whole text, in UTF-16 units, but for the line that says so. */
  maxChars: number;
  maxLineChars?: number | undefined;
  /** With a path and a version every place gets its header; without them, `...` separates places. */
  path?: string | undefined;
  version?: string | undefined;
  /** Rows that the reader knows already: of many in one piece only the ends are shown. */
  known?: readonly KnownRows[] | undefined;
}

/** Lines that the model has just sent, or had moved. */
export interface KnownRows extends Span {
  as: "sent" | "moved";
}

/** Shown at each end of known rows: enough to see where they begin and end, and to refer to. */
const knownEnds = 2;
/** Leaving out fewer rows would hardly save what the line costs that says so. */
const minKnownHidden = 4;

/** `places` in lines from 0, `to` excluded (an empty one means the gap). Hashline text, LF between rows. */
export function renderPlaces(
  lines: readonly string[],
  places: readonly Span[],
  options: PlacesOptions,
): string {
  const parts: string[] = [];
  // The first of several that begin on one line counts.
  const middles = new Map(
    options.known
      ?.map(middleOf)
      .reverse()
      .map((span) => [span.from, span]),
  );
  let left = options.maxRows;
  let chars = 0;
  for (const { from, to } of merged(places, lines.length, options.around)) {
    const limit = Math.min(options.maxPlaceRows, left);
    if (limit <= 0) {
      parts.push("... more places not shown");
      break;
    }
    const rows = placeRows(lines, { from, to }, limit, middles, options.maxLineChars);
    left -= rows.length;
    const { path, version } = options;
    if (path !== undefined && version !== undefined) {
      rows.unshift(renderHeader(path, version, from + 1, to, lines.length));
    } else if (parts.length > 0) {
      rows.unshift("...");
    }
    for (const row of rows) {
      chars += row.length + 1;
      if (chars > options.maxChars + 1) return [...parts, "... more rows not shown"].join("\n");
      parts.push(row);
    }
  }
  return parts.join("\n");
}

function placeRows(
  lines: readonly string[],
  { from, to }: Span,
  limit: number,
  middles: ReadonlyMap<number, KnownRows>,
  maxLineChars: number | undefined,
): string[] {
  const rows: string[] = [];
  for (let index = from; index < to; index += 1) {
    const middle = middles.get(index);
    if (middle && middle.to <= to) {
      rows.push(`… ${middle.to - middle.from} rows as ${middle.as}`);
      index = middle.to - 1;
    } else {
      rows.push(rowOf(index + 1, lines[index] ?? "", maxLineChars));
    }
  }
  const hidden = rows.length - limit;
  if (hidden <= 0) return rows;
  const head = limit - Math.floor(limit / 2);
  return [...rows.slice(0, head), `... ${hidden} rows not shown`, ...rows.slice(head + hidden)];
}

/** The lines left out of known rows; `from` is -1 if all are shown. */
function middleOf({ from, to, as }: KnownRows): KnownRows {
  const hidden = to - from - 2 * knownEnds;
  return hidden < minKnownHidden
    ? { from: -1, to: -1, as }
    : { from: from + knownEnds, to: to - knownEnds, as };
}

function merged(places: readonly Span[], total: number, around: number): Span[] {
  const result: Span[] = [];
  for (const place of places.toSorted((a, b) => a.from - b.from)) {
    const from = Math.max(0, Math.min(place.from - around, total));
    const to = Math.min(total, place.to + around);
    const last = result.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else if (from < to) result.push({ from, to });
  }
  return result;
}
