// The folders that a change makes for its new files: finds them, and removes them if the change is not made.
import { lstat, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errnoOf } from "../../paths/fs-error.ts";
import { openFolder } from "../../paths/inside.ts";

/** The folders above `paths` that do not exist in `root`, deepest first. */
export async function missingFolders(root: string, paths: readonly string[]): Promise<string[]> {
  const missing = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); folder !== "." && !missing.has(folder); folder = dirname(folder)) {
      if (await isThere(join(root, folder))) break;
      missing.add(folder);
    }
  }
  return [...missing].sort((a, b) => b.length - a.length);
}

/** Removes those of `folders` that are empty. `folders` must be ordered deepest first. */
export async function removeEmptyFolders(root: string, folders: readonly string[]): Promise<void> {
  for (const path of folders) {
    const parent = await openFolder(root, dirname(path) === "." ? "" : dirname(path)).catch(() => undefined);
    if (!parent) continue;
    await rmdir(join(parent.at, basename(path))).catch(() => undefined);
    await parent.handle.close();
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    return errnoOf(error) !== "ENOENT";
  }
}
