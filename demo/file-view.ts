// A file as a read_file result shows it: its version, and its rows with the references that edits use.
import type { DemoCall } from "./conversation.ts";

export interface ShownRow {
  /** Line number and anchor, such as `42foo`. */
  ref: string;
  text: string;
}

export interface FileView {
  path: string;
  version: string;
  rows: ShownRow[];
}

const header = /^\[(.+) @(\S+) lines \d+-\d+ of \d+\]$/;
const row = /^(\d+[a-z]{3})\|(.*)$/;

/** The view in a read_file result; undefined if it contains none. */
export function readView(call: DemoCall | undefined): FileView | undefined {
  const lines = call?.result?.split("\n") ?? [];
  const at = lines.findIndex((line) => header.test(line));
  const head = header.exec(lines[at] ?? "");
  if (head?.[1] === undefined || head[2] === undefined) return undefined;
  const rows = lines.slice(at + 1).flatMap((line) => {
    const match = row.exec(line);
    return match?.[1] === undefined || match[2] === undefined ? [] : [{ ref: match[1], text: match[2] }];
  });
  return { path: head[1], version: head[2], rows };
}

/** Reference of the first row whose text contains `part`. */
export function refOf(view: FileView, part: string): string | undefined {
  return view.rows.find(({ text }) => text.includes(part))?.ref;
}

export function has(view: FileView, part: string): boolean {
  return refOf(view, part) !== undefined;
}
