// A call in the right form, for a model to copy: an example of a tool, or what it showed itself as a call.
import type { JsonRecord } from "../json-value.ts";
import { fromDiff, searchReplace } from "./meant-edits.ts";

export interface ShownCall {
  tool: string;
  args: JsonRecord;
}

const edits: Readonly<Record<string, JsonRecord>> = {
  replace: { at: "12", lines: ["let a = 2;"] },
  delete: { at: "12" },
  insert_before: { at: "12", lines: ["let a = 2;"] },
  insert_after: { at: "12", lines: ["let a = 2;"] },
  move: { at: "12", after: "20" },
  append: { lines: ["let a = 2;"] },
  prepend: { lines: ["let a = 2;"] },
  replace_text: { old: "let a = 1;", new: "let a = 2;" },
};

const samples: Readonly<Record<string, JsonRecord>> = {
  read_file: { path: "src/app.js" },
  list_files: { path: "src" },
  search_files: { pattern: "TODO" },
  edit_file: { path: "src/app.js", edits: [{ op: "replace_text", ...edits.replace_text }] },
  write_file: { path: "notes.txt", content: "one\ntwo\n" },
  run_command: { command: "npm test" },
  read_output: { waitMs: 10_000 },
  stop_command: {},
  ask_user: { questions: [{ label: "Name", prompt: "Which name?", options: ["a", "b"] }] },
};

/** A call of `tool` in the right form: with `args`, else with those of an example. */
export function sampleCall(tool: string, args?: JsonRecord): string {
  const name = tool in samples ? tool : "read_file";
  return `\`\`\`tool\n${JSON.stringify({ tool: name, args: args ?? samples[name] })}\n\`\`\``;
}

/** The edit that the model tried to make; by rows, with the version it read. `file`: the file it names. */
export function sampleEdit(
  op = "replace_text",
  { path, base = "v3" }: { path: string; base?: string } = { path: "src/app.js" },
): string {
  const given = edits[op];
  const version = given !== undefined && "at" in given ? { base } : {};
  return sampleCall("edit_file", { path, ...version, edits: [{ op, ...given }] });
}

/** Longer examples cost a model with a small window more than they help. */
const maxShownChars = 3_000;

/** The call for an edit that an answer shows as `diff`, or in `text` as blocks; undefined if its file is not clear. */
export function shownEdit(text: string, diff: string | undefined): ShownCall | undefined {
  const args = diff === undefined ? undefined : fromDiff(diff);
  const call = diff === undefined ? fromBlocks(text) : args && { tool: "edit_file", args };
  return call && JSON.stringify(call).length <= maxShownChars ? call : undefined;
}

/** SEARCH/REPLACE blocks below the name of their file. */
function fromBlocks(text: string): ShownCall | undefined {
  const first = text.search(/^[ \t]*<{5,9} ?SEARCH/m);
  const last = /^[ \t]*>{5,9} ?REPLACE[^\n]*$/gm;
  let end = -1;
  for (let found = last.exec(text); found !== null; found = last.exec(text)) end = last.lastIndex;
  if (first < 0 || end < first) return undefined;
  const before = text.slice(0, first).trimEnd().split("\n").slice(-3).join("\n");
  const path = [...before.matchAll(/[\w@./-]*\w\.[A-Za-z]\w{0,5}\b/g)].at(-1)?.[0];
  const blocks = path === undefined ? undefined : searchReplace(text.slice(first, end));
  return blocks && { tool: "edit_file", args: { path, edits: blocks } };
}
