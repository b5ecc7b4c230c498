// The error text for an invalid call: all problems at once, what the tool takes, and an example. A value that
// only exceeds a limit is clamped. Loaded only when a call is invalid.
import type * as z from "zod/mini";
import { isRecord } from "../../../shared/is-record.ts";
import { describeProblem } from "../../../shared/schema-problem.ts";
import { readLoose } from "./loose-json.ts";
import { sampleCall } from "./unread.ts";

type Fault = z.core.$ZodIssue;

const toldProblems = 8;

/** What each edit takes. */
const editFields: Readonly<Record<string, string>> = {
  replace: "at, to?, lines",
  delete: "at, to?",
  insert_before: "at, lines",
  insert_after: "at, lines",
  move: "at, to?, before or after",
  append: "lines",
  prepend: "lines",
  replace_text: "old, new, all?",
};

const taken: Readonly<Record<string, string>> = {
  read_file: "path, lines?",
  list_files: "path?, depth?, glob?",
  search_files: "pattern, regex?, glob?, context?",
  run_command: "command, cwd?, timeoutMs?, background?",
  write_file: "path, content, base? (the version it replaces, none for a new file)",
};

/** One text for the model: every fault by its field, what is taken, and a call in the right form. */
export function wholeFault(tool: string, value: unknown, issues: readonly Fault[]): string {
  const problems = issues.flatMap((issue) => describeProblem({ issues: [issue] }, "arguments", value));
  const all = [...new Set([...problems, ...missingBase(tool, value)])];
  const more = all.length > toldProblems ? [`And ${all.length - toldProblems} more.`] : [];
  return [
    `error: ${tool}: ${all.slice(0, toldProblems).join(" ")}`,
    ...more,
    takes(tool, value),
    `Call it again, corrected, for example:\n${sampleCall(tool)}`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** A check over several fields is not made where one of them is wrong. */
function missingBase(tool: string, value: unknown): string[] {
  if (tool !== "edit_file" || !isRecord(value) || !Array.isArray(value.edits) || value.base) return [];
  const byRow = value.edits.some((edit) => isRecord(edit) && "at" in edit);
  return byRow
    ? ["arguments.base: is missing: it is the version that the rows were read of, such as v3."]
    : [];
}

function takes(tool: string, value: unknown): string {
  if (tool !== "edit_file") return taken[tool] === undefined ? "" : `It takes: ${taken[tool]}.`;
  const edits = isRecord(value) && Array.isArray(value.edits) ? value.edits : [];
  const named = [...new Set(edits.map((edit) => (isRecord(edit) ? String(edit.op) : "")))];
  const ops = named.filter((op) => op in editFields);
  const shown = ops.length > 0 ? ops : Object.keys(editFields);
  return `It takes: path, base?, edits; an edit takes ${shown.map((op) => `${op}: ${editFields[op]}`).join("; ")}.`;
}

/** `value` with numbers that are too large at their limit, and what is to be said of it; undefined where there are none. */
export function clamped(
  value: unknown,
  issues: readonly Fault[],
): { value: Record<string, unknown>; said: string } | undefined {
  if (!isRecord(value)) return undefined;
  const meant = { ...value };
  const said: string[] = [];
  for (const issue of issues) {
    const [field] = issue.path;
    if (issue.code !== "too_big" || issue.path.length !== 1 || typeof field !== "string") continue;
    if (typeof meant[field] !== "number") continue;
    said.push(`${field} may be ${issue.maximum} at most: that was taken instead of ${meant[field]}`);
    meant[field] = Number(issue.maximum);
  }
  return said.length === 0 ? undefined : { value: meant, said: `[${said.join("; ")}]` };
}

/** How much of the text is shown on each side of a fault. */
const aroundChars = 60;

/** Where JSON text breaks, with what is written there. */
export function brokenAt(json: string): string {
  const read = readLoose(json);
  if (read.ok && json.slice(read.end).trim() === "") return "";
  const { at, why } = read.ok ? { at: read.end, why: "more follows the end of the object" } : read;
  const isEnd = !read.ok && (why === "it ends here" || why === "this string is not closed");
  if (isEnd)
    return ` Your answer was cut off here, or its fence was not closed: ${oneLine(json.slice(-aroundChars))}⟦end⟧`;
  const around = `${json.slice(Math.max(0, at - aroundChars), at)}⟦here⟧${json.slice(at, at + aroundChars)}`;
  return ` At character ${at + 1} ${why}: ${oneLine(around)}`;
}

function oneLine(text: string): string {
  return text.replaceAll("\n", "\\n");
}
