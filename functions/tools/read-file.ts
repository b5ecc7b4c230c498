// `read_file`: rows of one text file, with the references that edits name.
import * as z from "zod/mini";
import { type LineRange, ReadArgs, ReadValue } from "../../shared/sandbox.ts";
import type { ValueText } from "../calls/result-text.ts";
import { byteLength, linesWithin } from "../calls/result-text.ts";
import * as limits from "../limits.ts";
import { parseRanges, rangesText, runsOf } from "./line-ranges.ts";
import { sandboxTool } from "./tool.ts";

const { path, start, end } = ReadArgs.shape;
const ReadFileArgs = z.strictObject({
  path,
  start,
  end,
  lines: z.optional(
    z.string().check(
      z.refine((text) => text.trim() === "" || parseRanges(text) !== undefined, {
        error: "must be ranges such as 1-80, 200-260",
      }),
    ),
  ),
});

/** For the line that says what was left out. */
const noteBytes = 200;

export const readFile = sandboxTool({
  name: "read_file",
  description: "Read a text file, 16 KB at most.",
  schema: ReadFileArgs,
  shownSchema: z.object({
    path,
    lines: z.optional(z.string().check(z.describe("such as 1-80, 200-260"))),
  }),
  modes: ["normal", "plan", "auto"],
  reads: true,
  call: ({ lines = "", ...args }) => {
    const ranges = lines.trim() === "" ? undefined : parseRanges(lines);
    return { op: "read", args: ranges ? { path: args.path, ranges } : args };
  },
  value: ReadValue,
  text: rowsText,
  trimming: { digest: "Files read", argument: "path", maxChars: 200 },
});

/** As many rows as fit, from the first on; the gap is at the end, and its lines are named. */
function rowsText({ path: file, version, total, truncated, ...value }: ReadValue): ValueText {
  const rows = value.rows === "" ? [] : value.rows.split("\n");
  const header = (lines: string) => `[${file} @${version} lines ${lines} of ${total}]`;
  const numbers = rows.map((row) => Number.parseInt(row, 10) || 0);
  const spare = byteLength(header(rangesText(runsOf(numbers)))) + 1 + noteBytes;
  const shown = linesWithin(rows, limits.maxToolContentBytes - spare);
  const runs = runsOf(numbers.slice(0, shown.length));
  const { start: first, end: last } = {
    start: runs[0]?.start ?? value.start,
    end: runs.at(-1)?.end ?? value.end,
  };
  // A sandbox server of version 0.2 does not report what is left.
  const unsaid: LineRange[] = truncated && value.end < total ? [{ start: value.end + 1, end: total }] : [];
  const rest = joinRanges([...runsOf(numbers.slice(shown.length)), ...(value.rest ?? unsaid)]);
  const text = [
    header(runs.length === 0 ? `${first}-${last}` : rangesText(runs)),
    ...withGaps(shown, numbers),
    ...(rest.length > 0 ? [`[cut: read on with lines=${rangesText(rest)}]`] : []),
  ];
  return { text: text.join("\n"), facts: { path: file, start: first, end: last, total } };
}

function withGaps(rows: readonly string[], numbers: readonly number[]): string[] {
  return rows.flatMap((row, index) =>
    index > 0 && numbers[index] !== (numbers[index - 1] ?? 0) + 1 ? ["…", row] : [row],
  );
}

function joinRanges(ranges: readonly LineRange[]): LineRange[] {
  const all: LineRange[] = [];
  for (const range of ranges) {
    const last = all.at(-1);
    if (last?.end !== undefined && range.start === last.end + 1)
      all[all.length - 1] = { ...range, start: last.start };
    else all.push(range);
  }
  return all;
}
