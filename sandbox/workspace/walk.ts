// Walks a workspace folder level by level and leaves out what git ignores.
import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ListEntry } from "../../shared/sandbox.ts";
import * as limits from "../limits.ts";
import { openFolder } from "../paths/inside.ts";
import type { Folder } from "./folder.ts";
import { gitProgram } from "./git-process.ts";
import { ignoredAmong } from "./ignored.ts";

export interface WalkOptions {
  /** The folder to begin in, relative to the workspace. */
  from: string;
  /** 1 = only its own entries. */
  depth: number;
  signal?: AbortSignal;
}

export interface Walked {
  path: string;
  type: ListEntry["type"];
}

/**
 * How many entries are read before git is asked which of them it ignores, because each question starts a
 * process.
 */
const aheadEntries = 2_000;

/**
 * Entries in order of depth, then of path. Yields one array for each level. Ends early at the walk's own
 * limit.
 */
export async function* walk(folder: Folder, options: WalkOptions): AsyncGenerator<Walked[], void> {
  let level = [options.from];
  let seen = 0;
  const asGitHasIt = await withoutLinks(folder.root, options.from);
  for (let depth = 0; depth < options.depth && level.length > 0; ) {
    const read = await readLevels(folder, level, options.depth - depth, options.signal);
    const ignored = await ignoredOf(
      folder,
      read.flatMap((found) => found.map(({ path }) => asGitHasIt(path))),
    );
    for (const entries of read) {
      const open = new Set(level);
      const found = entries.filter(({ path }) => open.has(parentOf(path)));
      const kept = found.filter(({ path }) => !ignored.has(asGitHasIt(path)));
      kept.sort((a, b) => (a.path < b.path ? -1 : 1));
      seen += found.length;
      yield kept;
      if (seen > limits.walkEntries) return;
      level = kept.filter(({ type }) => type === "dir").map(({ path }) => path);
      depth += 1;
    }
  }
}

/**
 * Git accepts no path that leads through a link, so this maps paths below `from` to the real place of that
 * folder.
 */
async function withoutLinks(root: string, from: string): Promise<(path: string) => string> {
  const { path: real, handle } = await openFolder(root, from);
  await handle.close();
  const start = real === "" ? "" : `${real}/`;
  return (path) => start + path.slice(from.length).replace(/^\//, "");
}

/**
 * Reads the level of `folders`, and further levels below it as long as there are few entries. Ignored entries
 * are still included.
 */
async function readLevels(
  folder: Folder,
  folders: readonly string[],
  depth: number,
  signal: AbortSignal | undefined,
): Promise<Walked[][]> {
  const first = await readLevel(folder, folders, limits.walkEntries, signal);
  const levels = [first];
  let count = first.length;
  for (let last = first; last.length > 0 && levels.length < depth && count < aheadEntries; ) {
    const below = last.filter(({ type }) => type === "dir").map(({ path }) => path);
    // If the folder cannot be opened, git may ignore it. If not, its own level reports the error.
    const next = await readLevel(folder, below, aheadEntries - count, signal).catch(() => undefined);
    if (next === undefined || count + next.length > aheadEntries) break;
    levels.push(next);
    count += next.length;
    last = next;
  }
  return levels;
}

/** Stops after the folder that brings the number of entries above `most`. */
async function readLevel(
  folder: Folder,
  folders: readonly string[],
  most: number,
  signal: AbortSignal | undefined,
): Promise<Walked[]> {
  const found: Walked[] = [];
  for (const path of folders) {
    signal?.throwIfAborted();
    for (const entry of await entriesOf(folder.root, path)) {
      if (entry.name === ".git" || entry.name.startsWith(".handrail-tmp-")) continue;
      found.push({ path: path === "" ? entry.name : `${path}/${entry.name}`, type: typeOf(entry) });
    }
    if (found.length > most) break;
  }
  return found;
}

/** The sizes of the files among `entries`, measured in their opened folders. Other entries have none. */
export async function sizesOf(root: string, entries: readonly Walked[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const [parent, files] of filesByParent(entries)) {
    // A folder that is gone, or now leads out of the workspace, has no sizes.
    const opened = await openFolder(root, parent).catch(() => undefined);
    if (!opened) continue;
    try {
      for (const path of files) {
        const found = await lstat(join(opened.at, basename(path))).catch(() => undefined);
        if (found?.isFile()) sizes.set(path, found.size);
      }
    } finally {
      await opened.handle.close();
    }
  }
  return sizes;
}

function filesByParent(entries: readonly Walked[]): Map<string, string[]> {
  const parents = new Map<string, string[]>();
  for (const { path, type } of entries) {
    if (type !== "file") continue;
    const parent = parentOf(path);
    const files = parents.get(parent);
    if (files) files.push(path);
    else parents.set(parent, [path]);
  }
  return parents;
}

async function entriesOf(root: string, path: string): Promise<Dirent[]> {
  const opened = await openFolder(root, path);
  try {
    return await readdir(opened.at, { withFileTypes: true });
  } finally {
    await opened.handle.close();
  }
}

function parentOf(path: string): string {
  return path.includes("/") ? dirname(path) : "";
}

function typeOf(entry: Dirent): ListEntry["type"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "dir";
  return entry.isSymbolicLink() ? "symlink" : "other";
}

async function ignoredOf(folder: Folder, paths: readonly string[]): Promise<Set<string>> {
  if (!gitProgram()) return new Set();
  return ignoredAmong(folder.snapshots.store, await folder.repository(), paths);
}
