// The rules of the edit engine, each broken once: the place, the change, and the fastest test file that must
// notice it.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is broken contains templates.

/**
 * `find` occurs once in `file` of shared/hashline and is replaced by `put`. `by`: a file of
 * test/unit/hashline.
 */
export interface Break {
  name: string;
  file: string;
  find: string;
  put: string;
  by: string;
}

const of = (file: string, by: string, ...breaks: [name: string, find: string, put: string][]): Break[] =>
  breaks.map(([name, find, put]) => ({ name, file: `${file}.ts`, find, put, by: `${by}.test.ts` }));

export const breaks: readonly Break[] = [
  ...of(
    "anchor",
    "anchor",
    [
      "white space at the end counts",
      "while (last > start && isTrimmed(text.charCodeAt(last - 1))) last -= 1;",
      "",
    ],
    ["a tab at the end counts", " || code === tab", ""],
    ["the hash has no finaliser", "fmix32(fnv1a32(text, start, last))", "fnv1a32(text, start, last)"],
    ["a surrogate pair is two characters", "if (isPair) index += 1;", ""],
    ["a lone surrogate is itself", ": 0xfffd;", ": code;"],
  ),
  ...of(
    "align",
    "align",
    ["one of the shortest differences is enough", "if (late[position] === match) sure[index]", "sure[index]"],
    ["twins need no neighbours", "if (!held) sure.fill(-1, from, to);", ""],
    ["a neighbour on one side is enough", ">= 0) && (to === sure.length", ">= 0) || (to === sure.length"],
    ["twins in the live file do not count", " || inLive > 1", ""],
    ["twins in the base do not count", "(baseCounts[id] ?? 0) > 1 || ", ""],
    ["the first line of a range is enough", "(runEnd[from] ?? 0) >= to", "(runEnd[from] ?? 0) > from"],
    [
      "lines of a range may have been parted",
      "sure[index + 1] === place + 1",
      "(sure[index + 1] ?? -1) >= 0",
    ],
  ),
  ...of(
    "apply",
    "rebase",
    [
      "an unterminated last line has changed once lines follow it",
      'return text.lines.with(last, `${withoutCr(text.lines[last] ?? "")}\\r`);',
      "return text.lines;",
    ],
    [
      "lines are appended where the base ended",
      "? 0 : live.lines.length, remove",
      "? 0 : base.lines.length, remove",
    ],
    ["a rebase is not told", "if (alignment) warnings.push(rebased(planned, placed));", ""],
    ["what is stale is not reported", "if (at === null) {", "if (at === -2) {"],
  ),
  ...of(
    "apply",
    "apply",
    ["a change of nothing is a success", "if (text === input.live)", "if (text === undefined)"],
    ["the third change of nothing is like the first", "if (earlier < 2)", "if (earlier < 3)"],
    ["one row is shown around a change", "const shownAround = 2;", "const shownAround = 1;"],
  ),
  ...of("apply", "overlap", ["overlaps are let through", ", ...overlaps(planned)]", "]"]),
  ...of(
    "overlap",
    "overlap",
    ["ranges may not touch", "one.from < range.to", "one.from <= range.to"],
    ["an inner range makes the outer one forgotten", "(!range || one.to > range.to)", "true"],
    ["two insertions of one kind may meet", "before.rank === one.rank", "before.rank === -1"],
    ["the earlier edit is blamed", "edit: later, text", "edit: earlier, text"],
  ),
  ...of(
    "plan-edits",
    "rebase",
    ["anchors are not looked at", "if (anchor !== reference.anchor) {", 'if (anchor === "") {'],
    ["nothing below an insertion has to be there", "Math.min(total, span.to + 1)", "span.to"],
    ["nothing above an insertion has to be there", "Math.max(0, span.from - 1)", "span.from"],
    ["ranges may end before they begin", "if (to < at) {", "if (to < -1) {"],
  ),
  ...of("plan-edits", "overlap", [
    "lines that were shown clipped can be replaced",
    "if (length > maxLineChars) clipped",
    "if (length < 0) clipped",
  ]),
  ...of(
    "payload",
    "payload",
    ["prefixes go though they are no anchors", "!row || !isAnchorOf(row.line, row.anchor, base)", "!row"],
    ["an anchor is real on any line", "anchorOf(line) === anchor", "anchor !== undefined"],
    ["redaction marks are written", "const redacted = pattern.test(line);", "const redacted = false;"],
    ["no mark may be written, not even where one stands", "if (known.has(withoutCr(line))) continue;", ""],
    ["clip marks are written", "!redacted && !holdsClipMark(line)", "!redacted"],
    ["NUL is written", 'if (line.includes("\\0")) {', "if (line === undefined) {"],
    ["lone surrogates stay", 'line.replace(loneSurrogate, "\\uFFFD")', "line"],
  ),
  ...of("payload", "line-ends", [
    "a line end that ends every line is a line",
    "ended ? line.slice(0, -1) : line",
    "line",
  ]),
  ...of(
    "match-text",
    "replace-text",
    ["of several matches the first is taken", "matches.length > 1 && edit.all !== true", "false"],
    ["an empty text stands everywhere", 'if (written === "") {', "if (written === undefined) {"],
    ["rows with prefixes are not found", "flat.text.includes(written) ? null :", "true ? null :"],
  ),
  ...of(
    "plan-text",
    "replace-text",
    ["text that was not shown can be replaced", "return true;", "return false;"],
    ["a line joined to another is not touched", "takesEnd && !leavesNone", "takesEnd && false"],
    ["matches may overlap", "strike.start < previous.end", "strike.start < previous.start"],
  ),
  ...of("match-text", "line-ends", [
    "CRLF in the text is no line end",
    'edit.old.replaceAll("\\r\\n", "\\n")',
    "edit.old",
  ]),
  ...of("plan-text", "line-ends", [
    "emptying the last line deletes it",
    'if (end > flat.text.length) text += "\\n";',
    "",
  ]),
  ...of(
    "splice",
    "line-ends",
    ["new lines never take CRLF", "? `${withoutCr(line)}\\r` : line", "? line : line"],
    [
      "a final newline comes by itself",
      "if (lastKept !== end) lines[end]",
      "if (lastKept === end) lines[end]",
    ],
    ["the old last line gets a bare LF", 'lines[lastKept] = `${withoutCr(lines[lastKept] ?? "")}\\r`;', ""],
    ["lines repeated in a payload lose their CR", 'before === `${withoutCr(after ?? "")}\\r`', "false"],
    ["a BOM goes", 'now.bom ? "\\uFEFF" : ""', '""'],
  ),
  ...of(
    "rejection",
    "rebase",
    ["only the first problem is told", "problems.slice(0, toldProblems)", "problems.slice(0, 1)"],
    [
      "a wrong request hides that it is stale",
      "problems.find((problem) => isStale(problem.reason)) ?? problems[0]",
      "problems[0]",
    ],
    ["places are shown where they were", "if (!alignment) return span;", "return span;"],
    ["refusals have no end", "const rowChars = 6_000;", "const rowChars = 60_000;"],
  ),
  ...of(
    "rows",
    "rows",
    ["a BOM belongs to the first row", "text.charCodeAt(0) === byteOrderMark ? 1 : 0", "0"],
    ["a CR is shown", "text.charCodeAt(to - 1) === carriageReturn ? to - 1 : to", "false ? to - 1 : to"],
    [
      "clipping cuts a character in two",
      "? maxLineChars - 1 : maxLineChars;",
      "? maxLineChars : maxLineChars;",
    ],
    ["any three letters are an anchor", " || !isAnchorWord(match[2])", ""],
    ["what a limit left out is not said", "truncated: end < Math.min(wanted, total)", "truncated: false"],
  ),
  ...of(
    "myers",
    "diff",
    ["differences are a step too long", ">= n - x;", "> n - x;"],
    ["changes stand as early as they can", '(!canKeep && prefer === "keep")', 'prefer === "keep"'],
  ),
  ...of(
    "diff",
    "diff",
    ["a lost final newline is no difference", "finalNewline || last < 0 ? lines :", "true ? lines :"],
    ["hunks begin one line late", "`${count === 0 ? from : from + 1},${count}`", "`${from + 1},${count}`"],
    ["hunks have two lines around them", "const contextLines = 3;", "const contextLines = 2;"],
  ),
  ...of(
    "warnings",
    "payload",
    ["a line repeated from above is not told", "if (above && ", "if (false && above && "],
    ["a line repeated from below is not told", "if (below && ", "if (false && below && "],
  ),
  ...of("warnings", "rebase", [
    "hundreds of warnings are told",
    "const shownWarnings = 20;",
    "const shownWarnings = 200;",
  ]),
];
