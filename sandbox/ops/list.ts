// The op `list`: the entries of a folder without those that git ignores.
import { HandrailError } from "../../shared/errors.ts";
import type { ListArgs, ListEntry, ListValue } from "../../shared/sandbox.ts";
import * as limits from "../limits.ts";
import { fsError } from "../paths/fs-error.ts";
import { relativePath } from "../paths/relative-path.ts";
import { globTest } from "../workspace/glob.ts";
import { sizesOf, type Walked, walk } from "../workspace/walk.ts";
import type { OpContext } from "./op-context.ts";

/** Without a glob only the upper levels are listed; with one, all levels are searched. */
const defaultDepth = 2;
const deepest = 64;

export async function list(args: ListArgs, { sandbox: { folder }, signal }: OpContext): Promise<ListValue> {
  const from = relativePath(args.path ?? "");
  const limit = Math.min(args.limit ?? limits.listEntries, limits.listEntriesMax);
  const matches = args.glob === undefined ? () => true : checkedGlob(args.glob);
  const depth = Math.min(args.depth ?? (args.glob === undefined ? defaultDepth : deepest), deepest);
  const found: Walked[] = [];
  let truncated = false;
  try {
    let seen = 0;
    for await (const level of walk(folder, { from, depth, signal })) {
      seen += level.length;
      const wanted = level.filter(
        ({ path, type }) => (args.glob === undefined || type !== "dir") && matches(path),
      );
      truncated = found.length + wanted.length > limit || seen >= limits.walkEntries;
      found.push(...wanted.slice(0, limit - found.length));
      if (truncated) break;
    }
  } catch (error) {
    throw fsError(error, from === "" ? "." : from);
  }
  found.sort((a, b) => (a.path < b.path ? -1 : 1));
  const sizes = await sizesOf(folder.root, found);
  const entries: ListEntry[] = found.map((entry) => ({ ...entry, size: sizes.get(entry.path) ?? 0 }));
  return { entries, truncated };
}

export function checkedGlob(glob: string): (path: string) => boolean {
  try {
    return globTest(glob);
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : "not understood";
    throw new HandrailError("invalid_request", `glob: ${why}. Use a pattern such as *.ts or src/**/*.ts.`);
  }
}
