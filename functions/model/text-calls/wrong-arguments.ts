// The error text for an invalid call: all problems at once, the accepted form, and an example. Values that are clear in
// spite of a problem (above a limit, a missing version) are accepted. Loaded only when a call is invalid.
import type * as z from "zod/mini";
import type { ToolProtocol } from "../../../shared/event.ts";
import { isRecord } from "../../../shared/is-record.ts";
import type { Message } from "../../../shared/message.ts";
import { describeProblem } from "../../../shared/schema-problem.ts";
import * as limits from "../../limits.ts";
import type { EditStyle } from "../provider.ts";
import { readLoose } from "./loose-json.ts";
import { fieldsOf } from "./meant-arguments.ts";
import { sampleCall, sampleEdit } from "./right-form.ts";
import { shownRows, withReferences } from "./shown-rows.ts";

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

/** What the names of its arguments do not say. */
const notes: Readonly<Record<string, string>> = {
  read_file: " (one file a call)",
  write_file: " (base: the version it replaces)",
};

/** How a model works, as far as it matters here. */
interface Habits {
  /** What tools returned in the conversation. */
  results?: readonly string[];
  /** Its edits are text: rows are shown to it without anchors. */
  byText?: boolean;
}

/** What a tool makes of arguments. */
type Tried<Call> = { ok: true; call: Call } | { ok: false; issues: readonly Fault[] };

interface Trial<Call> {
  name: string;
  toCall(args: unknown): Tried<Call>;
}

/** The part of a turn that is needed here. */
interface Conversation {
  state: { toolProtocol: ToolProtocol; history: readonly Message[] };
  env: { model: { edits?: EditStyle | undefined } };
}

/**
 * Returns `first`, the tool's answer to `value`, or its answer to the corrected value; otherwise the problems, for the
 * model.
 */
export function tryAnyway<Call>(
  tool: Trial<Call>,
  value: unknown,
  first: Tried<Call>,
  { state, env }: Conversation,
): { ok: true; value: unknown; made: { ok: true; call: Call }; said: string } | { ok: false; fault: string } {
  const results = state.history.flatMap(({ role, content }) => (role === "tool" ? content : []));
  const byText = env.model.edits === "text" && tool.name === "edit_file";
  const meant = takenAnyway(
    ...([tool.name, value, first.ok ? [] : first.issues] as const),
    state.toolProtocol === "text" ? results : undefined,
    byText ? results : undefined,
  );
  const made = meant ? tool.toCall(meant.value) : first;
  if (made.ok)
    return { ok: true, value: meant?.value ?? value, made, said: meant?.said ? `${meant.said}\n` : "" };
  const { issues } = first.ok ? made : first;
  return { ok: false, fault: wholeFault(tool.name, value, issues, { results, byText }) };
}

/** One text for the model: every problem by its field, the accepted form, and a correct call. */
export function wholeFault(
  tool: string,
  value: unknown,
  issues: readonly Fault[],
  habits: Habits = {},
): string {
  const problems = issues.flatMap((issue) => describeProblem({ issues: [issue] }, "arguments", value));
  const all = [...new Set([...problems, ...missingBase(tool, value)])];
  const more = all.length > toldProblems ? [`And ${all.length - toldProblems} more.`] : [];
  return [
    `error: ${tool}: ${all.slice(0, toldProblems).join(" ")}`,
    ...more,
    takes(tool, value, habits),
    `Call it again, corrected, for example:\n${tool === "edit_file" ? sampleEdit(opsOf(value)[0], ownFile(value, habits)) : sampleCall(tool)}`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** The file that is meant, with the version that was read last: models copy an example as it is. */
function ownFile(value: unknown, { results = [] }: Habits): { path: string; base?: string } | undefined {
  if (!isRecord(value) || typeof value.path !== "string") return undefined;
  const base = shownRows(value.path, results).versions.at(-1);
  return { path: value.path, ...(base ? { base } : {}) };
}

/** A check over several fields is not made if one of them is wrong. */
function missingBase(tool: string, value: unknown): string[] {
  if (tool !== "edit_file" || !isRecord(value) || !Array.isArray(value.edits) || value.base) return [];
  const byRow = value.edits.some((edit) => isRecord(edit) && "at" in edit);
  return byRow ? ["arguments.base: is missing: it is the version that was read, such as v3."] : [];
}

function takes(tool: string, value: unknown, { byText }: Habits): string {
  if (tool !== "edit_file") return `It takes: ${fieldsOf(tool)}${notes[tool] ?? ""}.`;
  const ops = opsOf(value);
  const all = byText ? ["replace_text", "append", "prepend"] : Object.keys(editFields);
  const shown = ops.length > 0 ? ops : all;
  return `It takes: path (of one file), base?, edits; an edit takes ${shown.map((op) => `${op}: ${editFields[op]}`).join("; ")}.`;
}

/** The kinds of the edits of a call. */
function opsOf(value: unknown): string[] {
  const edits = isRecord(value) && Array.isArray(value.edits) ? value.edits : [];
  const named = [...new Set(edits.map((edit) => (isRecord(edit) ? String(edit.op) : "")))];
  return named.filter((op) => op in editFields);
}

/** Without an unknown setting, a call of these tools is still the one that was meant. */
const lenient: ReadonlySet<string> = new Set(["read_file", "list_files", "search_files", "read_output"]);

/**
 * Corrects `value` in spite of `issues` and says how; undefined if nothing can be corrected. A number above its limit
 * becomes the limit. If calls are written as text, search fields of another agent are dropped, and a missing version is
 * filled in if the conversation has only one (`shown`: results of tools in it, absent with native calls). `plain`: the
 * model is shown rows without anchors, and the rows that it names by number are looked up.
 */
export function takenAnyway(
  tool: string,
  value: unknown,
  issues: readonly Fault[],
  shown?: readonly string[],
  plain?: readonly string[],
): { value: Record<string, unknown>; said: string } | undefined {
  if (!isRecord(value)) return undefined;
  const meant = { ...value };
  const said: string[] = [];
  const known = typeof value.path === "string" ? shownRows(value.path, plain ?? shown ?? []) : undefined;
  const only = known?.versions.length === 1 ? known.versions[0] : undefined;
  for (const issue of issues) {
    const [field] = issue.path;
    if (shown && issue.code === "unrecognized_keys" && issue.path.length === 0 && lenient.has(tool)) {
      for (const key of issue.keys) delete meant[key];
      said.push(`without ${issue.keys.join(", ")}, which ${tool} does not take`);
    }
    if (issue.path.length !== 1 || typeof field !== "string") continue;
    if (issue.code === "too_big" && typeof meant[field] === "number") {
      said.push(`${field} may be ${issue.maximum} at most: that was taken instead of ${meant[field]}`);
      meant[field] = Number(issue.maximum);
    }
    const version = shown && field === "base" && issue.code === "custom" ? only : undefined;
    if (version !== undefined) {
      said.push(`base was missing: ${version} was taken, the version that was read`);
      meant.base = version;
    }
  }
  const { base, edits } = meant;
  if (plain && known && Array.isArray(edits)) {
    const version = typeof base === "string" ? base.trim().replace(/^@/, "") : (only ?? "");
    meant.edits = edits.map((edit: unknown) => withReferences(edit, version, known));
  } else if (said.length === 0) return undefined;
  return { value: meant, said: said.length === 0 ? "" : `[${said.join("; ")}]` };
}

/** How much of the text is shown on each side of a fault. */
const aroundChars = 60;

/** What the model reads of arguments that are no JSON value, or too deep a one. */
export function unparsed(name: string, json: string): string {
  if (isJson(json))
    return `error: the arguments of \`${name}\` are nested deeper than ${limits.jsonDepth} levels; call it again, flatter.`;
  const problem = isCut(json)
    ? `error: the answer was cut before this call of \`${name}\` was complete, so it did not run; call it again, in smaller parts if it is long`
    : `error: the arguments of \`${name}\` are not valid JSON; call it again with one JSON object`;
  return `${problem}.${brokenAt(json)}`;
}

/** Whether it is JSON, of any depth. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a JSON text ends inside a string, a list or an object. */
function isCut(json: string): boolean {
  const outside = json.replace(/"(?:[^"\\]|\\.)*"/gs, "");
  if (outside.includes('"')) return true;
  const opened = outside.match(/[{[]/g)?.length ?? 0;
  return opened > (outside.match(/[}\]]/g)?.length ?? 0);
}

/** The position of the JSON error, with the text there. */
export function brokenAt(json: string): string {
  const read = readLoose(json);
  if (read.ok && json.slice(read.end).trim() === "") return "";
  const { at, why } = read.ok ? { at: read.end, why: "more follows the end of the object" } : read;
  const end = `${oneLine(json.slice(-aroundChars))}⟦end⟧`;
  const missing = why === "it ends here" ? missingAtEnd(json) : "";
  if (!read.ok && missing !== "") return ` \`${missing}\` is missing at the end, or more: ${end}`;
  if (!read.ok && (why === "it ends here" || why === "this string is not closed"))
    return ` Your answer was cut off here, or its fence was not closed: ${end}`;
  const around = `${json.slice(Math.max(0, at - aroundChars), at)}⟦here⟧${json.slice(at, at + aroundChars)}`;
  return ` At character ${at + 1} ${why}: ${oneLine(around)}`;
}

/** The brackets that would close `json`; "" where more is missing, or they do not match. */
function missingAtEnd(json: string): string {
  const outside = json.trimEnd().replace(/"(?:[^"\\]|\\.)*"/gs, '"');
  if (!/["}\]\d]$/.test(outside)) return "";
  const open: string[] = [];
  for (const char of outside) {
    if (char === "{") open.push("}");
    else if (char === "[") open.push("]");
    else if ((char === "}" || char === "]") && open.pop() !== char) return "";
  }
  return open.reverse().join("");
}

function oneLine(text: string): string {
  return text.replaceAll("\n", "\\n");
}
