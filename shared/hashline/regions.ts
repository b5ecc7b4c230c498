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
}

/** `places` in lines from 0, `to` excluded (an empty one means the gap). Hashline text, LF between rows. */
export function renderPlaces(
  lines: readonly string[],
  places: readonly Span[],
  options: PlacesOptions,
): string {
  const parts: string[] = [];
  let left = options.maxRows;
  let chars = 0;
  for (const { from, to } of merged(places, lines.length, options.around)) {
    const limit = Math.min(options.maxPlaceRows, left);
    if (limit <= 0) {
      parts.push("... more places not shown");
      break;
    }
    const rows = placeRows(lines, from, to, limit, options.maxLineChars);
    left -= Math.min(to - from, limit);
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
  from: number,
  to: number,
  limit: number,
  maxLineChars?: number,
): string[] {
  const rows: string[] = [];
  const hidden = to - from - limit;
  const tail = Math.floor(limit / 2);
  for (let index = from; index < to; index += 1) {
    if (hidden > 0 && index === to - tail - hidden) {
      rows.push(`... ${hidden} rows not shown`);
      index += hidden - 1;
      continue;
    }
    rows.push(rowOf(index + 1, lines[index] ?? "", maxLineChars));
  }
  return rows;
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
