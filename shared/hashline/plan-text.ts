// Reads the `replace_text` edits of a request against the base text: exact matches become replaced lines. It knows the
// base alone and does not look for lines in the live file.
import type { Edit } from "./edit.ts";
import { type FlatText, flatten, type Occurrence } from "./find-text.ts";
import { matchText } from "./match-text.ts";
import { type EditPlan, type Planned, type PlanOptions, payloadOf, ranks } from "./plan-edits.ts";
import type { Problem } from "./problem.ts";
import { defaultMaxLineChars, shownChars } from "./rows.ts";
import { type TextLines, withoutCr } from "./text.ts";

interface Strike extends Occurrence {
  edit: number;
  text: string;
}

/** `old` and `new` use LF between lines, whatever line ends the file has. */
export function planTextEdits(edits: readonly Edit[], base: TextLines, options: PlanOptions): EditPlan {
  const plan: EditPlan = { planned: [], problems: [], warnings: [] };
  if (!edits.some((edit) => edit.op === "replace_text")) return plan;
  const shown = base.lines.map(withoutCr);
  const flat = flatten(shown, base.finalNewline);
  const strikes: Strike[] = [];
  edits.forEach((edit, index) => {
    if (edit.op !== "replace_text") return;
    const problems: Problem[] = [];
    const found = matchText(edit, flat, base, options);
    if (!found.ok) problems.push({ ...found.problem, edit: index });
    const raw = edit.new.replaceAll("\r\n", "\n");
    const ends = raw.length > 1 && raw.endsWith("\n");
    const lines = (ends ? raw.slice(0, -1) : raw).split("\n");
    const payload = payloadOf(lines, edit, index, base, options, plan.warnings, problems);
    const text = payload.join("\n") + (ends ? "\n" : "");
    for (const match of found.matches) {
      if (isHidden(match, flat, shown, options.maxLineChars)) {
        problems.push({
          reason: "clipped",
          edit: index,
          text: `the text is in a part of line ${match.from + 1} that was not shown`,
        });
        break;
      }
    }
    if (problems.length === 0)
      for (const match of found.matches) strikes.push(joined({ ...match, edit: index, text }, flat));
    plan.problems.push(...problems);
  });
  strikes.sort((one, other) => one.start - other.start);
  plan.planned = cluster(strikes, flat, plan.problems);
  return plan;
}

/** Whether the match includes text that a clipped row did not show. */
function isHidden(
  match: Occurrence,
  flat: FlatText,
  shown: readonly string[],
  maxLineChars = defaultMaxLineChars,
): boolean {
  for (let line = match.from; line < match.to; line += 1) {
    const text = shown[line] ?? "";
    if (text.length > maxLineChars && match.end - (flat.starts[line] ?? 0) > shownChars(text, maxLineChars))
      return true;
  }
  return false;
}

/**
 * A match that removes the line break after its last line joins it with the next line, so that line counts as changed
 * too.
 */
function joined(strike: Strike, flat: FlatText): Strike {
  const takesEnd = flat.text[strike.end - 1] === "\n" && strike.end < flat.text.length;
  const leavesNone =
    strike.text.endsWith("\n") || (strike.text === "" && strike.start === flat.starts[strike.from]);
  return takesEnd && !leavesNone ? { ...strike, to: strike.to + 1 } : strike;
}

/** Matches that share a line become one replacement of lines. */
function cluster(strikes: readonly Strike[], flat: FlatText, problems: Problem[]): Planned[] {
  const planned: Planned[] = [];
  let group: Strike[] = [];
  let groupTo = 0;
  const close = (): void => {
    if (group.length > 0) planned.push(replacement(group, flat));
    group = [];
  };
  for (const strike of strikes) {
    const previous = group.at(-1);
    if (previous && strike.start < previous.end) {
      const text = `overlaps edits[${previous.edit}] on line ${strike.from + 1}`;
      problems.push({ reason: "overlap", edit: strike.edit, text });
      continue;
    }
    if (strike.from >= groupTo) close();
    groupTo = Math.max(groupTo, strike.to);
    group.push(strike);
  }
  close();
  return planned;
}

/**
 * The lines of a single match that consist of its new text alone: the first and the last may contain old text as well.
 */
function knownLines([strike, ...others]: readonly Strike[]): Planned["known"] {
  const count = strike && others.length === 0 ? strike.text.split("\n").length : 0;
  return { from: Math.min(1, count), to: Math.max(1, count - 1) };
}

function replacement(group: readonly Strike[], flat: FlatText): Planned {
  const from = group[0]?.from ?? 0;
  const to = group.reduce((last, strike) => Math.max(last, strike.to), from);
  const end = flat.starts[to] ?? flat.text.length + 1;
  let text = "";
  let copied = flat.starts[from] ?? 0;
  for (const strike of group) {
    text += flat.text.slice(copied, strike.start) + strike.text;
    copied = strike.end;
  }
  text += flat.text.slice(copied, end);
  // An unterminated last line is treated as if it had a line end, so that emptying the line differs from deleting it.
  if (end > flat.text.length) text += "\n";
  const lines = text === "" ? [] : (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
  const edits = [...new Set(group.map((strike) => strike.edit))];
  return { from, to, edits, rank: ranks.replace, lines, guard: { from, to }, known: knownLines(group) };
}
