// Recognizes copies of editors' settings that the person already has. `git worktree add` and `cp -r` make
// such copies. They contain nothing new, so they may stay.
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isPlainPath } from "../paths/os-path.ts";
import type { FolderEntry } from "../workspace/looked-at.ts";
import type { Baseline } from "./baseline.ts";

/** Limits of the comparison: settings are small, and anything larger counts as different. */
const mostFiles = 200;
const mostBytes = 1024 * 1024;

/** Whether the entry at `path` has the content of a held entry of the same name. */
export function sameAsThere(
  root: string,
  path: string,
  editors: readonly FolderEntry[],
  baseline: Baseline,
): boolean {
  // A path that is not UTF-8 is not compared.
  if (!isPlainPath(path)) return false;
  return editors.some(
    (one) =>
      baseline.held.has(one.id) &&
      basename(one.path) === basename(path) &&
      isSame(join(root, path), join(root, one.path), { files: mostFiles }),
  );
}

/** Every entry of `copy` must be in `original`. Some may be missing, such as files that git ignores. */
function isSame(copy: string, original: string, left: { files: number }): boolean {
  const [one, other] = [copy, original].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  left.files -= 1;
  if (!one || !other || left.files < 0) return false;
  if (one.isDirectory() && other.isDirectory())
    return readdirSync(copy).every((name) => isSame(join(copy, name), join(original, name), left));
  if (!one.isFile() || !other.isFile() || one.size !== other.size || one.size > mostBytes) return false;
  return readFileSync(copy).equals(readFileSync(original));
}
