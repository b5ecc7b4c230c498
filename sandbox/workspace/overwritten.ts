// Finds files that a restore would overwrite although no snapshot has them: ignored files in the place of
// restored ones.
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { SnapshotStore } from "./snapshot-store.ts";
import { addForced, writeTree } from "./snapshot-tree.ts";
import { differences } from "./spare-ignored.ts";

/**
 * The tree `before`, which is the current workspace, plus the ignored files that a restore of `snapshot`, or
 * of one of its files, would overwrite.
 */
export async function withOverwritten(
  store: SnapshotStore,
  before: string,
  snapshot: string,
  only?: string,
): Promise<string> {
  const coming = (await differences(store, before, snapshot)).filter(
    ({ status, path }) => status === "A" && (only === undefined || path === only),
  );
  const inTheWay = await Promise.all(coming.map(({ path }) => standing(store.root, path)));
  const found = [...new Set(inTheWay.filter((path) => path !== undefined))];
  if (found.length === 0) return before;
  await addForced(store, found);
  return writeTree(store);
}

/** The existing entry at `path`, or the one above it that is in the way of a folder. */
export async function standing(root: string, path: string): Promise<string | undefined> {
  for (let end = path.indexOf("/"); ; end = path.indexOf("/", end + 1)) {
    const at = end < 0 ? path : path.slice(0, end);
    const found = await lstat(join(root, at)).catch(() => undefined);
    if (at === path || !found?.isDirectory()) return found && at;
  }
}
