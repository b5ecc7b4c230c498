// The op `search`: matching lines as hashline rows. Ripgrep finds them if it is present, otherwise our own
// walk does.
import { HandrailError } from "../../shared/errors.ts";
import { renderRows } from "../../shared/hashline/rows.ts";
import { splitText } from "../../shared/hashline/text.ts";
import type { Redactor } from "../../shared/redact/redactor.ts";
import type { SearchArgs, SearchValue } from "../../shared/sandbox.ts";
import * as limits from "../limits.ts";
import { readTextFile } from "../paths/text-file.ts";
import { hideInRows } from "../secrets/hide-rows.ts";
import type { Folder } from "../workspace/folder.ts";
import { checkedGlob } from "./list.ts";
import type { OpContext } from "./op-context.ts";
import { searchByRipgrep } from "./search/by-ripgrep.ts";
import { searchByWalk } from "./search/by-walk.ts";
import type { Hits, SearchRun } from "./search/hits.ts";

/** `limit` counts matching lines. Context rows are added to these. */
export async function search(
  args: SearchArgs,
  { server, sandbox: { folder }, signal }: OpContext,
): Promise<SearchValue> {
  if (args.pattern === "")
    throw new HandrailError("invalid_request", "pattern: empty; give what to search for.");
  if (args.pattern.includes("\0"))
    throw new HandrailError("invalid_request", "pattern: holds a NUL character; leave it out.");
  if (args.glob !== undefined) checkedGlob(args.glob);
  const limit = Math.min(args.limit ?? limits.searchMatches, limits.searchMatchesMax);
  const run: SearchRun = {
    pattern: args.pattern,
    regex: args.regex ?? false,
    glob: args.glob,
    limit,
    signal,
  };
  const { rg: program, jail } = server;
  const found = program
    ? await searchByRipgrep({ program, jail }, folder, run)
    : await searchByWalk(folder, run);
  return render(found, args.context ?? 0, limit, folder, server.redactor);
}

async function render(
  { hits, truncated: cut }: Hits,
  context: number,
  limit: number,
  folder: Folder,
  redactor: Redactor,
): Promise<SearchValue> {
  const matches: SearchValue["matches"] = [];
  let truncated = cut;
  let left = limit;
  let chars = 0;
  for (const hit of hits) {
    if (left <= 0 || chars > limits.readChars) {
      truncated = true;
      break;
    }
    const lines = hit.lines.slice(0, left);
    if (lines.length < hit.lines.length) truncated = true;
    left -= lines.length;
    // A file that is gone, or is not text after all, has no rows to show.
    const file = await readTextFile(folder.root, hit.path).catch(() => undefined);
    if (!file) continue;
    const rows = hideInRows(redactor, rowsAround(file.text, lines, context), file.text);
    chars += rows.length;
    const version = await folder.versions.idOf(file.path, file.bytes);
    matches.push({ path: hit.path, version, rows, total: splitText(file.text).lines.length, lines });
  }
  return { matches, truncated };
}

function rowsAround(text: string, lines: readonly number[], context: number): string {
  const regions: { start: number; end: number }[] = [];
  for (const line of lines) {
    const last = regions.at(-1);
    if (last && line - context <= last.end + 1) last.end = line + context;
    else regions.push({ start: Math.max(1, line - context), end: line + context });
  }
  return regions
    .map((region) => renderRows(text, { ...region, maxLineChars: limits.lineChars }).rows)
    .filter((rows) => rows !== "")
    .join("\n");
}
