// The edits of `edit_file` in other shapes: one edit flat beside the path, SEARCH/REPLACE blocks, other names for what an
// edit does.
import { isRecord } from "../../../shared/is-record.ts";
import { type JsonRecord, parseJson } from "../json-value.ts";
import { editKinds, editNames, idleKeys } from "./aliases.ts";
import { meantLines, meantValue, withOwnNames } from "./meant-values.ts";

const own = ["op", "at", "to", "before", "after", "lines", "old", "new", "all"];

/** Changes `args`: `edits` becomes a list where it can be one. */
export function meantEdits(args: JsonRecord): void {
  if (typeof args.edits === "string") args.edits = parseJson(args.edits) ?? args.edits;
  if (isRecord(args.edits)) args.edits = [args.edits];
  if (args.edits === undefined && typeof args.diff === "string") {
    const blocks = searchReplace(args.diff);
    const patch = blocks ? { edits: blocks } : fromDiff(args.diff);
    if (patch !== undefined) {
      delete args.diff;
      Object.assign(args, { ...patch, ...args });
    }
  }
  if (args.edits === undefined) {
    const flat = Object.fromEntries(Object.entries(args).filter(([key]) => key !== "path" && key !== "base"));
    const edit = meantEdit(flat);
    if (typeof edit.op !== "string") return;
    for (const key of Object.keys(flat)) delete args[key];
    args.edits = [edit];
  } else if (Array.isArray(args.edits)) {
    args.edits = args.edits.map((edit: unknown) => (isRecord(edit) ? meantEdit(edit) : edit));
  }
}

function meantEdit(written: JsonRecord): JsonRecord {
  const present = Object.fromEntries(
    Object.entries(written).filter(([key, value]) => value !== null && !idleKeys.has(key)),
  );
  const edit = withOwnNames(present, editNames, own);
  const kind = typeof edit.op === "string" ? edit.op.toLowerCase().replaceAll("-", "_") : undefined;
  // A row by its number.
  for (const key of ["at", "to", "before", "after"])
    if (typeof edit[key] === "number") edit[key] = String(edit[key]);
  const both = typeof edit.old === "string" && typeof edit.new === "string";
  if (both && (kind === undefined || kind === "replace" || kind === "edit" || kind === "modify"))
    edit.op = "replace_text";
  else if (kind !== undefined) edit.op = editKinds[kind] ?? kind;
  else if (edit.at !== undefined && edit.lines !== undefined) edit.op = "replace";
  // `insert` with the row that it comes before or after.
  if (kind === "insert" || edit.op === undefined) placeInsertion(edit);
  if (edit.op !== "replace_text" && edit.lines !== undefined) edit.lines = meantLines(edit.lines);
  if (
    edit.op === "replace_text" &&
    edit.lines !== undefined &&
    edit.new === undefined &&
    Array.isArray(edit.lines)
  ) {
    edit.new = edit.lines.join("\n");
    delete edit.lines;
  }
  // A rewrite of rows whose lines are under `new`.
  if (
    edit.lines === undefined &&
    typeof edit.new === "string" &&
    edit.old === undefined &&
    edit.op !== "replace_text"
  ) {
    edit.lines = meantLines(edit.new);
    delete edit.new;
  }
  if (edit.all !== undefined) edit.all = meantValue("all", edit.all);
  for (const key of ["old", "new"]) {
    const value = edit[key];
    if (Array.isArray(value) && value.every((line) => typeof line === "string")) edit[key] = value.join("\n");
  }
  if (edit.op !== undefined && "op" in edit) return { op: edit.op, ...edit };
  return edit;
}

function placeInsertion(edit: JsonRecord): void {
  const { before, after } = edit;
  if (edit.at !== undefined || edit.lines === undefined || (before === undefined) === (after === undefined))
    return;
  edit.op = before === undefined ? "insert_after" : "insert_before";
  edit.at = before ?? after;
  delete edit.before;
  delete edit.after;
}

const block =
  /^[ \t]*(?:<{5,9} ?SEARCH>?|-{5,9} ?SEARCH)[^\n]*\n(?::start_line:[^\n]*\n)?(?:-{5,9}[ \t]*\n)?([\s\S]*?)\n?^[ \t]*={5,9}[ \t]*\n([\s\S]*?)\n?^[ \t]*(?:>{5,9} ?REPLACE|\+{5,9} ?REPLACE)[^\n]*$/gm;

/** Aider's, Cline's and Roo Code's blocks; undefined if any of the text is something else, or marks are missing. */
export function searchReplace(text: string): JsonRecord[] | undefined {
  const found = [...text.matchAll(block)];
  if (found.length === 0 || text.replace(block, "").trim() !== "") return undefined;
  return found.map(([, old = "", written = ""]) => ({ op: "replace_text", old, new: written }));
}

/** A unified diff of one file: each hunk is a text and what comes in its place. */
export function fromDiff(diff: string): { path: string; edits: JsonRecord[] } | undefined {
  const paths = [
    ...diff.matchAll(/^(?:\+\+\+ (?:b\/)?|\*\*\* Update File: )([^\s\t]+)/gm),
    // A diff that removes or adds a whole file is no edit.
  ].map(([, path = ""]) => path);
  const [path] = paths;
  if (path === undefined || paths.length > 1 || /\/dev\/null|^\*\*\* (?:Add|Delete) File/m.test(diff))
    return undefined;
  const hunks = diff
    .split(/^@@.*$/m)
    .slice(1)
    .map((hunk) => hunk.replace(/\n\*\*\* End Patch[\s\S]*$/, "").replace(/^\n|\n$/g, ""));
  const made = hunks.map((hunk) => {
    const lines = hunk.split("\n").filter((line) => /^[ +-]|^$/.test(line));
    const side = (mark: string) =>
      lines.filter((line) => !line.startsWith(mark)).map((line) => line.slice(1));
    return { op: "replace_text", old: side("+").join("\n"), new: side("-").join("\n") };
  });
  const changes = made.length > 0 && made.every((edit) => edit.old.trim() !== "" && edit.old !== edit.new);
  return changes ? { path, edits: made } : undefined;
}
