// Where things go that a command left and that may not stay in the workspace: the person can look at them there. Bounded.
import { constants } from "node:fs";
import { chmod, cp, lstat, mkdir, open, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import { findProgram } from "../exec/environment.ts";
import { runProcess } from "../exec/run-process.ts";
import { limits } from "../limits.ts";
import { errnoOf } from "../paths/fs-error.ts";
import { type OpenedFolder, openFolder } from "../paths/inside.ts";

/** One thing that was taken out, for the words of a result. */
export interface TakenOut {
  path: string;
  why: string;
  /** Its path as the command named it, where that is another. */
  named?: string;
  /** It is not kept: nothing could look into it, nor forget it later. */
  destroyed?: boolean;
}

let count = 0;

/** Moves what is at `path` below `root` into `dir`; false where nothing is there. A link is moved, not followed. */
export async function takeOut(
  root: string,
  dir: string,
  { path, why, destroyed = false }: TakenOut,
): Promise<boolean> {
  const parent = await folderAt(root, path);
  if (!parent) return false;
  try {
    const from = join(parent.at, basename(path));
    const stat = await lstat(from).catch(() => undefined);
    if (!stat) return false;
    const place = await newPlace(dir, path, why);
    await withRights(parent, stat.isDirectory() ? from : undefined, () => move(from, join(place, "it")));
    if (destroyed) await removeDeep(place);
    return true;
  } finally {
    await parent.handle.close();
  }
}

/** Makes a link at `path` again, where its folder is still one of the workspace's. */
export async function linkBack(root: string, path: string, target: string): Promise<void> {
  const parent = await folderAt(root, path);
  if (!parent) return;
  try {
    await symlink(target, join(parent.at, basename(path))).catch(() => undefined);
  } finally {
    await parent.handle.close();
  }
}

/** Puts `text` in place of the file at `path`, which goes to `dir`. */
export async function replaceFile(
  root: string,
  dir: string,
  taken: TakenOut,
  text: string,
): Promise<boolean> {
  if (!(await takeOut(root, dir, taken))) return false;
  const parent = await openFolder(root, folderOf(taken.path));
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const handle = await open(join(parent.at, basename(taken.path)), flags, 0o644);
    await handle.writeFile(text).finally(() => handle.close());
    return true;
  } finally {
    await parent.handle.close();
  }
}

/** Forgets the oldest, until there is no more than the limits leave room for. */
export async function prune(dir: string): Promise<void> {
  const names = (await readdir(dir).catch(() => [])).sort().reverse();
  let bytes = 0;
  for (const [index, name] of names.entries()) {
    if (index < limits.takenOutEntries && bytes <= limits.takenOutBytes)
      bytes += await sizeOf(join(dir, name), limits.takenOutBytes - bytes);
    if (index >= limits.takenOutEntries || bytes > limits.takenOutBytes)
      await rm(join(dir, name), { recursive: true, force: true });
  }
}

/** The folder of `path`; undefined where it is gone, or a link out of the workspace by now: then nothing is at `path`. */
async function folderAt(root: string, path: string): Promise<OpenedFolder | undefined> {
  try {
    return await openFolder(root, folderOf(path));
  } catch (error) {
    if (error instanceof HandrailError && ["not_found", "path_escape"].includes(error.code)) return undefined;
    throw error;
  }
}

/** Removes a folder whose paths are longer than the kernel takes: the program goes there step by step, Node does not. */
async function removeDeep(path: string): Promise<void> {
  const spec = { cwd: "/", env: {}, timeoutMs: 60_000, maxOutputBytes: 4_096 };
  await runProcess({ ...spec, file: findProgram("rm") ?? "/bin/rm", args: ["-rf", "--", path] });
}

function folderOf(path: string): string {
  const folder = dirname(path);
  return folder === "." ? "" : folder;
}

async function newPlace(dir: string, path: string, why: string): Promise<string> {
  count += 1;
  const place = join(dir, `${new Date().toISOString().replaceAll(":", "-")}-${process.pid}-${count}`);
  await mkdir(place, { recursive: true, mode: 0o700 });
  await writeFile(join(place, "about.json"), JSON.stringify({ path, why }), { mode: 0o600 });
  return place;
}

async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
    // The state folder is on another disk. What cannot be copied, such as a socket, is not worth keeping.
    if ((await sizeOf(from, limits.takenOutBytes)) <= limits.takenOutBytes)
      await cp(from, to, { recursive: true, verbatimSymlinks: true }).catch(() => undefined);
    await rm(from, { recursive: true, force: true });
  }
}

/** A command may have taken away this user's own right to write to a folder. */
async function withRights(parent: OpenedFolder, folder: string | undefined, work: () => Promise<void>) {
  try {
    await work();
  } catch (error) {
    if (!["EACCES", "EPERM"].includes(errnoOf(error) ?? "")) throw error;
    await parent.handle.chmod(0o700);
    if (folder !== undefined) await chmod(folder, 0o700);
    await work();
  }
}

/** Bytes of the files at `path`; stops counting above `most`. */
async function sizeOf(path: string, most: number): Promise<number> {
  const stat = await lstat(path).catch(() => undefined);
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  let bytes = 4_096;
  for (const name of await readdir(path).catch(() => [])) {
    if (bytes > most) break;
    bytes += await sizeOf(join(path, name), most - bytes);
  }
  return bytes;
}
