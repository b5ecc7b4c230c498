// Renders rows of several places of one text: places that are close together are joined, and the middle of long ones is
// left out.

import type { Span } from "./problem.ts";
import { renderHeader, rowOf } from "./rows.ts";

export interface PlacesOptions {
  /** Rows shown around each place. */
  around: number;
  /** The number of rows after which the middle of one place is left out, and the limit for all places together. */
  maxPlaceRows: number;
  maxRows: number;
  /** Limit of the whole text in UTF-16 units, not counting the line that reports the cut. */
  maxChars: number;
  maxLineChars?: number | undefined;
  /** With a path and a version, every place gets its own header; otherwise `...` separates the places. */
  path?: string | undefined;
  version?: string | undefined;
  /** Rows that the model knows already: only the ends of a long run of them are shown. */
  known?: readonly KnownRows[] | undefined;
}

/** Lines that the model has just sent, or had moved. */
export interface KnownRows extends Span {
  as: "sent" | "moved";
}

/** How many known rows are shown at each end: enough to recognise the run and to refer to it. */
const knownEnds = 2;
/** Below this many hidden rows, the line that reports them would cost more than it saves. */
const minKnownHidden = 4;

/** `places` are lines from 0, `to` excluded; an empty one means a gap. Returns hashline text with LF between rows. */
export function renderPlaces(
  lines: readonly string[],
  places: readonly Span[],
  options: PlacesOptions,
): string {
  const parts: string[] = [];
  // If several known runs begin on one line, the first one counts.
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

/** The known rows that are left out; `from` is -1 if all are shown. */
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
