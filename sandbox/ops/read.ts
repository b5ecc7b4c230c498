// The op `read`: rows of one text file, either all of them or some ranges.
import { HandrailError } from "../../shared/errors.ts";
import { type Rows, renderRows } from "../../shared/hashline/rows.ts";
import type { LineRange, ReadArgs, ReadValue } from "../../shared/sandbox.ts";
import * as limits from "../limits.ts";
import { relativePath } from "../paths/relative-path.ts";
import { readTextFile } from "../paths/text-file.ts";
import { hideInRows } from "../secrets/hide-rows.ts";
import type { OpContext } from "./op-context.ts";

export async function read(args: ReadArgs, { server, sandbox: { folder } }: OpContext): Promise<ReadValue> {
  const path = relativePath(args.path);
  const file = await readTextFile(folder.root, path);
  const version = await folder.versions.idOf(file.path, file.bytes);
  const shown = rowsOf(file.text, wantedRanges(args));
  if (shown.start > Math.max(1, shown.total)) {
    throw new HandrailError(
      "invalid_request",
      `${path} has ${shown.total} lines; start is ${shown.start}. Ask for lines that exist.`,
      { details: { total: shown.total } },
    );
  }
  return { path, version, ...shown, rows: hideInRows(server.redactor, shown.rows, file.text) };
}

/** In the order of the file's lines. Adjacent and overlapping ranges are joined. */
function wantedRanges({ start, end, ranges }: ReadArgs): LineRange[] {
  const wanted = ranges ?? [{ start: start ?? 1, ...(end === undefined ? {} : { end }) }];
  const joined: LineRange[] = [];
  for (const range of wanted.toSorted((a, b) => a.start - b.start)) {
    if (range.end !== undefined && range.end < range.start) {
      throw new HandrailError(
        "invalid_request",
        `end (${range.end}) is before start (${range.start}). Give the first line first.`,
      );
    }
    const last = joined.at(-1);
    if (last && range.start <= (last.end ?? Infinity) + 1) {
      if (range.end === undefined || last.end === undefined) delete last.end;
      else last.end = Math.max(last.end, range.end);
    } else joined.push({ ...range });
  }
  return joined;
}

/**
 * `start` and `end`: the first and the last of all rows shown. Ranges beyond the end of the file are skipped.
 */
function rowsOf(text: string, ranges: readonly LineRange[]): Rows & { rest?: LineRange[] } {
  const [first = { start: 1 }, ...others] = ranges;
  const shown = partOf(text, first, { maxRows: limits.readRows, maxChars: limits.readChars });
  const rest = restOf(first, shown);
  let left = { maxRows: limits.readRows - rowCount(shown), maxChars: limits.readChars - shown.rows.length };
  for (const range of others) {
    if (range.start > shown.total) break;
    const full = rest.length > 0 || left.maxRows <= 0 || left.maxChars <= 0;
    const part = partOf(text, range, full ? { maxRows: 0, maxChars: 0 } : left);
    if (rowCount(part) > 0) {
      shown.rows += `\n${part.rows}`;
      shown.end = part.end;
    }
    left = { maxRows: left.maxRows - rowCount(part), maxChars: left.maxChars - part.rows.length };
    rest.push(...restOf(range, part));
  }
  return rest.length > 0 ? { ...shown, truncated: true, rest } : shown;
}

function partOf(
  text: string,
  { start, end = Infinity }: LineRange,
  room: { maxRows: number; maxChars: number },
): Rows {
  return renderRows(text, { start, end, ...room, maxLineChars: limits.lineChars });
}

function rowCount({ start, end }: Rows): number {
  return end - start + 1;
}

function restOf({ end }: LineRange, part: Rows): LineRange[] {
  return part.truncated ? [{ start: part.end + 1, end: Math.min(end ?? Infinity, part.total) }] : [];
}
