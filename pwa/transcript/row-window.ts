// Decides which rows of a long transcript are mounted: a range, given by the keys of its ends. Pure.
import { isOver } from "../../shared/plan/steps.ts";
import type { Row } from "./rows.ts";

/** If `first` is null, the range is as long as when a session opens; if `last` is null, it ends with the newest row. */
export interface RowWindow {
  first: string | null;
  last: string | null;
}

export const atEnd: RowWindow = { first: null, last: null };

/** This is more than a phone shows at once, and is mounted without a noticeable pause. */
export const openingRows = 20;
/** This few rows are mounted within one frame. */
const stepRows = 16;
/** The limit of mounted rows is 150, plus future steps and the running turn's rows. */
export const maxRows = 100;
/** The number of rows shown of a step that runs or was interrupted; a tap shows earlier ones. */
export const maxStationRows = 24;

/** The range of `window`, for `rows.slice(start, end)`. A key that no longer exists is treated as unset. */
export function sliceOf(rows: readonly Row[], { first, last }: RowWindow): { start: number; end: number } {
  const lastAt = last === null ? -1 : rows.findLastIndex(({ key }) => key === last);
  const end = lastAt < 0 ? rows.length : lastAt + 1;
  const firstAt = first === null ? -1 : rows.findIndex(({ key }) => key === first);
  const start = firstAt < 0 || firstAt >= end ? backBy(rows, end, openingRows) : firstAt;
  return { start, end };
}

/** The window with earlier rows, or the same one if there are none. Rows at the other end are removed. */
export function grownUp(rows: readonly Row[], window: RowWindow): RowWindow {
  const { start, end } = sliceOf(rows, window);
  if (start === 0) return window;
  const from = Math.max(0, start - stepRows);
  const to = onBy(rows, from, maxRows);
  return { first: keyAt(rows, from), last: to >= end ? window.last : keyAt(rows, to - 1) };
}

/** The window with later rows, or the same one if there are none. */
export function grownDown(rows: readonly Row[], window: RowWindow): RowWindow {
  const { start, end } = sliceOf(rows, window);
  if (end === rows.length) return window;
  const to = Math.min(rows.length, end + stepRows);
  const from = Math.max(start, backBy(rows, to, maxRows));
  return { first: keyAt(rows, from), last: to === rows.length ? null : keyAt(rows, to - 1) };
}

/** A window in which row `at` is near the beginning. */
export function windowAround(rows: readonly Row[], at: number): RowWindow {
  const from = Math.max(0, at - stepRows);
  const to = onBy(rows, from, openingRows + stepRows);
  return { first: keyAt(rows, from), last: to >= rows.length ? null : keyAt(rows, to - 1) };
}

function keyAt(rows: readonly Row[], index: number): string | null {
  return rows[index]?.key ?? null;
}

/** The number of mounted rows that this row counts as. */
function weight(row: Row | undefined): number {
  const open = row?.kind === "station" && !isOver(row);
  return open ? 1 + Math.min(maxStationRows, row.rows.length) : 1;
}

function backBy(rows: readonly Row[], end: number, most: number): number {
  let start = end;
  for (let sum = 0; start > 0; start -= 1) {
    sum += weight(rows[start - 1]);
    if (sum > most && start < end) break;
  }
  return start;
}

function onBy(rows: readonly Row[], start: number, most: number): number {
  let end = start;
  for (let sum = 0; end < rows.length; end += 1) {
    sum += weight(rows[end]);
    if (sum > most && end > start) break;
  }
  return end;
}
