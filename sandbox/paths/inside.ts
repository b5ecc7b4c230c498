// Opens files inside a workspace, and checks the opened file, never the path string. On Linux an open folder
// is addressed through /proc/self/fd, so that replacing a parent folder meanwhile has no effect.
import { constants, lstatSync, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import { errnoOf, fsError } from "./fs-error.ts";
import { osPath } from "./os-path.ts";
import { pathEscape } from "./relative-path.ts";

const linux = process.platform === "linux";
/**
 * Linux's O_PATH, which Node does not define. It opens what a path names, even a link, without reading it.
 */
export const openPathOnly = 0o10000000;

/** Whether the absolute real path `path` is `root` or below it. */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

/** false for a link to a folder, and if nothing exists there. */
export function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

export const replaced =
  "The workspace, or the repository that it belongs to, is no longer the folder that it was.";

export function replacedError(cause?: unknown): HandrailError {
  return new HandrailError("path_escape", `${replaced} Begin a new session.`, { cause });
}

/** `error`, which occurred at `path`, or an error that the workspace itself no longer exists. */
function errorAt(root: string, path: string, error: unknown): HandrailError {
  return isFolder(root) ? fsError(error, path) : replacedError(error);
}

/** The real path of an open file. `path`: the path by which it was opened. */
async function whereIs(handle: FileHandle, path: string): Promise<string> {
  if (linux) return readlink(`/proc/self/fd/${handle.fd}`);
  const real = await realpath(path);
  const [opened, named] = [await handle.stat(), await lstat(real)];
  if (opened.ino !== named.ino || opened.dev !== named.dev)
    throw Object.assign(new Error("swapped"), { code: "ELOOP" });
  return real;
}

export interface OpenedFile {
  handle: FileHandle;
  stat: Stats;
  /** The real path of the file inside the workspace. */
  path: string;
}

/** Opens the regular file at `path` for reading. The caller closes the handle. Throws HandrailError. */
export async function openFile(root: string, path: string): Promise<OpenedFile> {
  const full = join(root, path);
  let handle: FileHandle | undefined;
  try {
    handle = await open(full, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const real = await whereIs(handle, full);
    if (!isInside(root, real)) throw pathEscape(path, "leads out of the workspace");
    const stat = await handle.stat();
    if (stat.isDirectory()) throw Object.assign(new Error("folder"), { code: "EISDIR" });
    if (!stat.isFile()) throw pathEscape(path, "is not a regular file");
    return { handle, stat, path: relative(root, real) };
  } catch (error) {
    await handle?.close();
    throw errorAt(root, path, error);
  }
}

export interface OpenedFolder {
  /** A path to the entries of exactly this folder. It is valid while the handle is open. */
  at: string;
  /** The folder's real path inside the workspace; "" is the workspace. */
  path: string;
  handle: FileHandle;
}

/**
 * Opens the folder at `path`. With `create`, makes missing folders on the way. The caller closes the handle.
 */
export async function openFolder(root: string, path: string, create = false): Promise<OpenedFolder> {
  const names = path === "" ? [] : path.split("/");
  let current: OpenedFolder | undefined;
  try {
    current = await openOne(root, root, path);
    for (const name of names) {
      const next = await step(root, current, name, path, create);
      await current.handle.close();
      current = next;
    }
    return current;
  } catch (error) {
    await current?.handle.close().catch(() => undefined);
    throw errorAt(root, path, error);
  }
}

async function step(
  root: string,
  parent: OpenedFolder,
  name: string,
  path: string,
  create: boolean,
): Promise<OpenedFolder> {
  const at = join(parent.at, name);
  try {
    return await openOne(root, at, path);
  } catch (error) {
    if (!create || errnoOf(error) !== "ENOENT") throw error;
    await makeOne(at);
    return openOne(root, at, path);
  }
}

/** False if something has appeared there meanwhile. */
export async function makeOne(at: string): Promise<boolean> {
  try {
    await mkdir(osPath(at));
    return true;
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    return false;
  }
}

/** Opens the folder at `at` as one step of a walk. `path`: the end of the walk, for messages. */
export async function openOne(
  root: string,
  at: string,
  path: string,
  followsLink = true,
): Promise<OpenedFolder> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK;
  const handle = await open(osPath(at), followsLink ? flags : flags | constants.O_NOFOLLOW);
  try {
    const real = await whereIs(handle, at);
    if (!isInside(root, real)) throw pathEscape(path, "leads out of the workspace");
    return { handle, at: linux ? `/proc/self/fd/${handle.fd}` : real, path: relative(root, real) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
