// `search_files`: matching rows, with the references that edits name.
import * as z from "zod/mini";
import { SearchArgs, type SearchMatch, SearchValue } from "../../shared/sandbox.ts";
import type { ValueText } from "../calls/result-text.ts";
import { linesWithin } from "../calls/result-text.ts";
import * as limits from "../limits.ts";
import { rangesText } from "./line-ranges.ts";
import { sandboxTool } from "./tool.ts";

/** Kept free for the line that counts the matches. */
const countBytes = 200;
const remedy = "narrow the pattern or the glob";

const { pattern, regex, glob, context } = SearchArgs.shape;

export const searchFiles = sandboxTool({
  name: "search_files",
  description: "Search text or a regex, case-sensitive (regex: unless (?i)). context: rows around matches.",
  schema: z.strictObject({ pattern, regex, glob, context }),
  modes: ["normal", "plan", "auto"],
  reads: true,
  call: (args) => ({ op: "search", args }),
  value: SearchValue,
  text: matchesText,
});

interface ShownLine {
  text: string;
  matches: boolean;
  /** The row names a file. */
  isHeader: boolean;
}

/** The count comes first, so that it stays when the result is shortened later. */
function matchesText({ matches, truncated }: SearchValue): ValueText {
  const facts = { files: matches.length };
  if (matches.length === 0)
    return { text: truncated ? `no matches before the search was cut: ${remedy}` : "no matches", facts };
  const lines = matches.flatMap(linesOf);
  const room = limits.maxToolContentBytes - countBytes;
  const count = linesWithin(
    lines.map(({ text }) => text),
    room,
  ).length;
  const shown = lines.slice(0, count);
  // A header without rows says nothing.
  while (shown.at(-1) && !shown.at(-1)?.matches && shown.length < lines.length) shown.pop();
  const [all, some] = [countsOf(lines), countsOf(shown)];
  const head =
    shown.length < lines.length
      ? `${some.matches} of ${all.matches}${truncated ? " or more" : ""} matches, in ${some.files} of ${all.files} files; cut: ${remedy}`
      : `${all.matches} ${all.matches === 1 ? "match" : "matches"} in ${all.files} ${all.files === 1 ? "file" : "files"}${truncated ? `; cut, there are more: ${remedy}` : ", complete"}`;
  return { text: [`[${head}]`, ...shown.map(({ text }) => text)].join("\n"), facts };
}

/** Rows under the file's header. Where rows around matches are shown, matches begin with `>` and gaps are `…`. */
function linesOf({ path, version, rows, total, lines }: SearchMatch): ShownLine[] {
  const parsed = rows.split("\n").map((row) => ({ row, line: Number.parseInt(row, 10) || 0 }));
  const matching = new Set(lines ?? parsed.map(({ line }) => line));
  const marks = parsed.some(({ line }) => !matching.has(line));
  const [first, last] = [parsed[0]?.line ?? 1, parsed.at(-1)?.line ?? 1];
  const where = total === undefined ? "" : ` lines ${rangesText([{ start: first, end: last }])} of ${total}`;
  const shown: ShownLine[] = [{ text: `[${path} @${version}${where}]`, matches: false, isHeader: true }];
  for (const [index, { row, line }] of parsed.entries()) {
    if (marks && index > 0 && line !== (parsed[index - 1]?.line ?? 0) + 1)
      shown.push({ text: "…", matches: false, isHeader: false });
    const matches = matching.has(line);
    shown.push({ text: marks && matches ? `>${row}` : row, matches, isHeader: false });
  }
  return shown;
}

function countsOf(lines: readonly ShownLine[]): { matches: number; files: number } {
  return {
    matches: lines.filter(({ matches }) => matches).length,
    files: lines.filter(({ isHeader }) => isHeader).length,
  };
}
