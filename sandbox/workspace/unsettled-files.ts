// Which files of a snapshot could change again without git noticing (https://git-scm.com/docs/racy-git): it trusts a file
// whose mtime, in whole seconds, is older than its index, and `cp -p`, tar and rsync set that back. The ctime of the inode
// cannot be set, but two changes within its second look the same.
import { lstatSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";

/** Kernels stamp files with a clock that ticks every 1 to 10 ms: a recent write may look that much older. */
const tickMs = 20;
/** Looked at before others get their turn: about 5 ms. */
const inOneGo = 1_000;

/** An entry of an index, as git lists and takes it. */
export interface IndexEntry {
  mode: string;
  id: string;
  path: string;
}

/** The time, in milliseconds since the epoch, from which on files are in doubt for a look that begins at `begunMs`. */
export function doubtfulFrom(begunMs: number): number {
  return Math.floor((begunMs - tickMs) / 1_000) * 1_000;
}

/** Makes git read again files modified since then, whatever the index's own time. */
export async function distrustSince(index: string, sinceMs: number): Promise<void> {
  await utimes(index, sinceMs / 1_000, sinceMs / 1_000);
}

/** Those of `entries` that changed since then and have an older time of modification. */
export async function unsettledAmong(
  root: string,
  entries: readonly IndexEntry[],
  sinceMs: number,
): Promise<IndexEntry[]> {
  const found: IndexEntry[] = [];
  for (const [at, entry] of entries.entries()) {
    if (at % inOneGo === inOneGo - 1) await setImmediate();
    if (entry.mode === "160000") continue;
    const stat = lstatSync(join(root, entry.path), { throwIfNoEntry: false });
    // It is a folder by now, so what git knew of the file no longer matters.
    if (!stat || stat.isDirectory()) continue;
    if (stat.ctimeMs >= sinceMs && stat.mtimeMs < sinceMs) found.push(entry);
  }
  return found;
}

/** For `git update-index -z --index-info`: makes git forget what it knows of the files, and keep their content. */
export function forgetting(entries: readonly IndexEntry[]): string {
  return entries.map(({ mode, id, path }) => `${mode} ${id} 0\t${path}\0`).join("");
}
