// Keeps entries that a command left and that must not stay in the workspace, so that the person can look at
// them. The space is limited.
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  symlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { findProgram } from "../exec/environment.ts";
import { runProcess } from "../exec/run-process.ts";
import * as limits from "../limits.ts";
import { errnoOf } from "../paths/fs-error.ts";
import type { OpenedFolder } from "../paths/inside.ts";
import { isPlainPath, osPath } from "../paths/os-path.ts";
import { type OwnPlace, openOwnPlace } from "../paths/own-place.ts";
import { removeTree } from "../paths/remove-tree.ts";
import { namesIn } from "../workspace/looked-at.ts";
import { asidePrefix } from "../workspace/scan.ts";

/** One entry that was taken out, for the text of a result. */
export interface TakenOut {
  path: string;
  why: string;
  /** Its path as the command named it, if that differs. */
  named?: string;
  /**
   * The person had something at this path when the command began, so the entry may be the person's as well.
   */
  yours: boolean;
  /** The entry is not kept, because it could not be read or deleted later. */
  destroyed?: boolean;
  /** The entry could not be taken out and is still in the workspace. */
  left?: boolean;
}

const linux = process.platform === "linux";
let count = 0;

/** Moves the entry at `path` below `root` into `dir`; false if there is none. A link is moved, not followed. */
export async function takeOut(
  root: string,
  dir: string,
  { path, named, why, yours, destroyed = false }: TakenOut,
): Promise<boolean> {
  const parent = await folderAt(root, path);
  if (!parent) return false;
  try {
    const from = join(parent.at, basename(path));
    const stat = await lstat(osPath(from)).catch(() => undefined);
    if (!stat) return false;
    const place = await newPlace(
      dir,
      { path, why, yours, ...(named === undefined ? {} : { named }) },
      parent.ids,
    );
    await withRights(parent, stat.isDirectory() ? from : undefined, () =>
      move(parent, basename(path), place),
    );
    if (destroyed) await remove(place);
    return true;
  } finally {
    await parent.handle.close();
  }
}

/** Makes a link at `path` again, if its folder is still one of the workspace's. */
export async function linkBack(root: string, path: string, target: string): Promise<void> {
  const parent = await folderAt(root, path);
  if (!parent) return;
  try {
    await symlink(target, osPath(join(parent.at, basename(path)))).catch(() => undefined);
  } finally {
    await parent.handle.close();
  }
}

/**
 * Puts `text` in place of the file at `path`, which goes to `dir`. One of the two exists at every moment:
 * without settings, git sees no repository.
 */
export async function replaceFile(
  root: string,
  dir: string,
  taken: TakenOut,
  text: string,
): Promise<boolean> {
  const parent = await folderAt(root, taken.path);
  if (!parent) return false;
  try {
    const at = osPath(join(parent.at, basename(taken.path)));
    const stat = await lstat(at).catch(() => undefined);
    if (!stat) return false;
    await withRights(parent, undefined, async () => {
      const aside = join(parent.at, `${asidePrefix}${randomBytes(6).toString("hex")}`);
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      const handle = await open(aside, flags, 0o644);
      await handle.writeFile(text).finally(() => handle.close());
      if (stat.isFile()) await copyTo(await newPlace(dir, taken, parent.ids), at);
      else await takeOut(root, dir, taken);
      await rename(aside, at);
    });
    return true;
  } finally {
    await parent.handle.close();
  }
}

async function copyTo(place: string, from: string | Buffer): Promise<void> {
  const to = join(place, "it");
  await link(from, to).catch(() => copyFile(from, to));
}

/**
 * Deletes the oldest entries when the space runs out. Entries that may be the person's are counted
 * separately, so that leftovers of commands cannot push them out. An entry larger than the whole space is
 * deleted at once, except for the newest of the person's.
 */
export async function prune(dir: string): Promise<void> {
  const names = (await placesIn(dir)).sort().reverse();
  const kept = { true: { entries: 0, bytes: 0 }, false: { entries: 0, bytes: 0 } };
  for (const name of names) {
    const place = join(dir, name);
    const sum = (await aboutOf(place))?.yours === true ? kept.true : kept.false;
    const most = limits.takenOutBytes;
    const bytes = sum.entries < limits.takenOutEntries ? await sizeOf(place, most) : 0;
    const isFirst = sum === kept.true && sum.entries === 0;
    if (sum.entries >= limits.takenOutEntries || (!isFirst && sum.bytes + bytes > most)) {
      await remove(place);
      continue;
    }
    sum.entries += 1;
    // The newest of the person's entries may be larger than the space. It does not count then, which leaves
    // the space to the others.
    if (bytes <= most) sum.bytes += bytes;
  }
}

/** The entries in `dir` that were not in `before`, by their paths as commands named them. */
export async function keptSince(dir: string, before: readonly string[]): Promise<Set<string>> {
  const added = (await placesIn(dir)).filter((name) => !before.includes(name));
  const abouts = await Promise.all(added.map((name) => aboutOf(join(dir, name))));
  return new Set(abouts.flatMap((about) => about?.path ?? []));
}

export function placesIn(dir: string): Promise<string[]> {
  return readdir(dir).catch(() => []);
}

/**
 * The folder of `path`; undefined if it is gone or a link is now on the way, so that nothing is at `path`.
 */
async function folderAt(root: string, path: string): Promise<OwnPlace | undefined> {
  try {
    return await openOwnPlace(root, folderOf(path));
  } catch (error) {
    if (error instanceof HandrailError && ["not_found", "path_escape"].includes(error.code)) return undefined;
    throw error;
  }
}

/** Chains the removals, so that they run one after the other. */
let removals = Promise.resolve();

/**
 * Removes an entry with its folder `place`. A rename takes it out of `dir` immediately. The rest is deleted
 * without anyone waiting for it: twenty thousand nested folders take a busy machine a minute.
 */
export async function remove(place: string): Promise<void> {
  const aside = `${asideOf(dirname(place))}${basename(place)}`;
  await rename(place, aside);
  inTurn(aside);
}

/** Finishes removals that a killed server had begun. */
export async function removeLeft(dir: string): Promise<void> {
  const aside = asideOf(dir);
  for (const name of await placesIn(dirname(dir))) {
    const path = join(dirname(dir), name);
    if (path.startsWith(aside)) inTurn(path);
  }
}

function inTurn(path: string): void {
  removals = removals.then(() => removeTree(path));
}

function asideOf(dir: string): string {
  return `${dir}-removed-`;
}

export async function program(name: string, args: string[], cwd: string): Promise<boolean> {
  const file = findProgram(name) ?? `/bin/${name}`;
  const spec = { file, args, cwd, env: {}, timeoutMs: 10 * 60_000, maxOutputBytes: 4_096 };
  return (await runProcess(spec)).exitCode === 0;
}

export function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === "." ? "" : folder;
}

/** The record of an entry that was taken out. */
export const AboutTakenOut = z.object({
  path: z.string(),
  why: z.string(),
  yours: z._default(z.boolean(), false),
  /** Device and inode of each folder on the way to the entry; missing if an earlier version took it out. */
  folders: z.optional(z.array(z.string())),
});
export type AboutTakenOut = z.infer<typeof AboutTakenOut>;

/** undefined if `place` has no record. `place`: the folder of one entry. */
export async function aboutOf(place: string): Promise<AboutTakenOut | undefined> {
  try {
    return z.parse(AboutTakenOut, JSON.parse(await readFile(join(place, "about.json"), "utf8")));
  } catch {
    return undefined;
  }
}

async function newPlace(
  dir: string,
  { path, named = path, why, yours }: TakenOut,
  folders: string[],
): Promise<string> {
  const about: AboutTakenOut = { path: named, why, yours, folders };
  count += 1;
  // The names sort by age, even within a millisecond.
  const order = `${process.pid}-${String(count).padStart(9, "0")}`;
  const place = join(dir, `${new Date().toISOString().replaceAll(":", "-")}-${order}`);
  await mkdir(place, { recursive: true, mode: 0o700 });
  await writeFile(join(place, "about.json"), JSON.stringify(about), { mode: 0o600 });
  return place;
}

async function move(parent: OpenedFolder, name: string, place: string): Promise<void> {
  const from = osPath(join(parent.at, name));
  try {
    await rename(from, join(place, "it"));
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
    // The state folder is on another disk. A name that no tool looks for makes the entry harmless. If this
    // sweep does not finish, the next command's sweep finds it.
    const aside = `${asidePrefix}${randomBytes(6).toString("hex")}-${name.slice(0, 100)}`;
    const safe = isPlainPath(aside) ? aside : aside.slice(0, asidePrefix.length + 12);
    await rename(from, join(parent.at, safe));
    // `cp` reaches the folder by the handle that this process holds: a path would lead elsewhere if the
    // folder were moved.
    const cwd = linux ? `/proc/${process.pid}/fd/${parent.handle.fd}` : parent.at;
    if (!(await program("cp", ["-a", "--", `./${safe}`, join(place, "it")], cwd)))
      throw new Error("it could not be copied to the state folder");
    await program("rm", ["-rf", "--", `./${safe}`], cwd);
  }
}

/**
 * Runs `work`. If a right is missing, it gives this user all rights to both folders and runs `work` again,
 * because a command may have removed the right.
 */
async function withRights(parent: OpenedFolder, folder: string | undefined, work: () => Promise<void>) {
  try {
    await work();
  } catch (error) {
    if (!["EACCES", "EPERM"].includes(errnoOf(error) ?? "")) throw error;
    await parent.handle.chmod(0o700);
    if (folder !== undefined) await chmod(osPath(folder), 0o700);
    await work();
  }
}

/** Bytes of the files at `path`. Stops counting above `most`. */
async function sizeOf(path: string, most: number): Promise<number> {
  const stat = await lstat(osPath(path)).catch(() => undefined);
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  let bytes = 4_096;
  for (const name of namesIn(path, "")) {
    if (bytes > most) break;
    bytes += await sizeOf(join(path, name), most - bytes);
  }
  return bytes;
}
