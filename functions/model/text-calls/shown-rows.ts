// Rows of a file as tools have returned them in this conversation, for edits that mean them by their numbers alone: where edits
// are text, a model sees `15|text`, and the references `15foo` that the sandbox takes are known to the history only.
import { isRecord } from "../../../shared/is-record.ts";

interface ShownRows {
  /** What comes after the number, `foo|text`; undefined if that row was not shown. */
  row(version: string, number: string): string | undefined;
  /** From the first to the last that was shown. */
  versions: readonly string[];
}

/** `results`: what tools returned. Headers are `[src/a.js @v3 lines 1-9 of 9]`, rows `42foo|text`. */
export function shownRows(path: string, results: readonly string[]): ShownRows {
  const own = path.replace(/^\.?\//, "");
  const versions = new Set<string>();
  const rows = new Map<string, string>();
  let version: string | undefined;
  for (const line of results.flatMap((text) => text.split("\n"))) {
    const head = /^\[(.+?) @(v\d+)/.exec(line);
    if (head) version = head[1] === own ? head[2] : undefined;
    if (version === undefined) continue;
    versions.add(version);
    const [, number, rest = ""] = /^>?(\d+)([a-z]{3}\|.*)/.exec(line) ?? [];
    if (number !== undefined) rows.set(`${version} ${number}`, rest);
  }
  return { row: (of, number) => rows.get(`${of} ${number}`), versions: [...versions] };
}

const references = ["at", "to", "before", "after"];

/** `edit` with whole references in place of numbers, and without the prefixes of rows that were shown. */
export function withReferences(edit: unknown, base: string, rows: ShownRows): unknown {
  if (!isRecord(edit)) return edit;
  const meant = { ...edit };
  for (const key of references) {
    const at = String(meant[key] ?? "");
    const anchor = /^\d+$/.test(at) ? rows.row(base, at)?.slice(0, 3) : undefined;
    if (anchor !== undefined) meant[key] = at + anchor;
  }
  const { old, new: now } = meant;
  if (
    typeof old === "string" &&
    typeof now === "string" &&
    old.split("\n").every((line) => isShown(line, rows))
  ) {
    meant.old = old.replace(prefixes, "");
    meant.new = now.replace(prefixes, "");
  }
  return meant;
}

const prefixes = /^>?\d+\|/gm;

function isShown(line: string, { row, versions }: ShownRows): boolean {
  const [, number = "", text] = /^>?(\d+)\|(.*)$/.exec(line) ?? [];
  return versions.some((version) => row(version, number)?.slice(4) === (text ?? 0));
}
