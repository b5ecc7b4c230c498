// Finds files of a snapshot that could change again without git noticing (https://git-scm.com/docs/racy-git).
// Git trusts a file whose mtime, in whole seconds, is older than its index, and `cp -p`, tar and rsync set
// the mtime back. No program can set the ctime of an inode, but two changes within the same second look
// alike.
import { lstatSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";

/**
 * Kernels stamp files with a clock that ticks every 1 to 10 ms, so a recent write may look that much older.
 */
const tickMs = 20;
/** Entries checked before other work gets its turn: about 5 ms. */
const inOneGo = 1_000;

/** An entry of an index, in the form in which git lists and accepts it. */
export interface IndexEntry {
  mode: string;
  id: string;
  path: string;
}

/**
 * For a snapshot that begins at `begunMs`, the time since which changed files are in doubt, in milliseconds
 * since the epoch.
 */
export function doubtfulFrom(begunMs: number): number {
  return Math.floor((begunMs - tickMs) / 1_000) * 1_000;
}

/** Makes git read files modified since then again, whatever the time of the index itself. */
export async function distrustSince(index: string, sinceMs: number): Promise<void> {
  await utimes(index, sinceMs / 1_000, sinceMs / 1_000);
}

/** The entries whose file changed since then but has an older mtime. */
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
    // The path is a folder now, so what git recorded about the file no longer matters.
    if (!stat || stat.isDirectory()) continue;
    if (stat.ctimeMs >= sinceMs && stat.mtimeMs < sinceMs) found.push(entry);
  }
  return found;
}

/**
 * Input for `git update-index -z --index-info` that makes git forget the files' times but keep their
 * contents.
 */
export function forgetting(entries: readonly IndexEntry[]): string {
  return entries.map(({ mode, id, path }) => `${mode} ${id} 0\t${path}\0`).join("");
}
