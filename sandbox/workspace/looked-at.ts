// Reads entries, names and small files of a workspace without following links. A command may have removed
// this user's own right to list a folder; the right is then restored.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
} from "node:fs";
import { join } from "node:path";
import { openPathOnly } from "../paths/inside.ts";
import { decodeName, osPath } from "../paths/os-path.ts";

/** `id`: device and inode. `stamp`: both, plus the ctime of the entry, which no program can set. */
export interface FolderEntry {
  /** Relative to the scanned folder; "" is that folder itself. */
  path: string;
  id: string;
  stamp: string;
}

export interface Named extends Pick<Dirent, "isDirectory" | "isSymbolicLink" | "isFile"> {
  name: string;
}

/** The entry at `path`, without following a link; undefined if there is none or this user cannot reach it. */
export function entryAt(root: string, path: string): FolderEntry | undefined {
  try {
    const stat = lstatSync(osPath(join(root, path)), { bigint: true, throwIfNoEntry: false });
    if (!stat) return undefined;
    const id = `${stat.dev}:${stat.ino}`;
    return { path, id, stamp: `${id}:${stat.ctimeNs}` };
  } catch {
    return undefined;
  }
}

export function within(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/**
 * The entries of the folder at `path`. "closed": this server cannot list it, but programs of this user can
 * pass through it.
 */
export function entriesIn(root: string, path: string): Named[] | "closed" {
  let handle: number | undefined;
  const full = join(root, path);
  try {
    handle = openListed(full);
    return listed(process.platform === "linux" ? `/proc/self/fd/${handle}` : full);
  } catch {
    // The folder is gone, or this server's user cannot open it. Then programs of that user cannot list it
    // either.
    return isEnterable(full) ? "closed" : [];
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** The names in the folder at `path`; none if it is not a folder or is a link to one. */
export function namesIn(root: string, path: string): string[] {
  const entries = entriesIn(root, path);
  return entries === "closed" ? [] : entries.map(({ name }) => name);
}

/** A mark that changes when anything changes at an entry or below it. */
export function treeMark(root: string, { path, stamp }: FolderEntry): string {
  const inside = namesIn(root, path).flatMap((name) => entryAt(root, within(path, name)) ?? []);
  return [stamp, ...inside.map((one) => treeMark(root, one))].join(" ");
}

/** The text of the regular file at `path`; undefined for a link, for anything else, and above `maxBytes`. */
export function smallText(root: string, path: string, maxBytes: number): string | undefined {
  let handle: number | undefined;
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    handle = openSync(osPath(join(root, path)), flags);
    const stat = fstatSync(handle);
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(handle, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

const folderOnly = constants.O_DIRECTORY | constants.O_NOFOLLOW;

function openListed(path: string): number {
  const open = () => openSync(osPath(path), constants.O_RDONLY | folderOnly);
  try {
    return open();
  } catch (error) {
    if (!mayList(path)) throw error;
    return open();
  }
}

/**
 * Lets this user list its own folder. False if the right was not missing. Nobody but root can change the rights of
 * another user's folder, and root needs none.
 */
function mayList(path: string): boolean {
  let handle: number | undefined;
  try {
    handle = openSync(osPath(path), openPathOnly | folderOnly);
    const { mode } = fstatSync(handle);
    if ((mode & 0o500) !== 0o100) return false;
    chmodSync(`/proc/self/fd/${handle}`, (mode & 0o7777) | 0o400);
    return true;
  } catch {
    return false;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function isEnterable(path: string): boolean {
  try {
    if (!lstatSync(osPath(path)).isDirectory()) return false;
    accessSync(osPath(path), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function listed(path: string): Named[] {
  const entries = readdirSync(path, { withFileTypes: true });
  // Node replaces invalid UTF-8 in names. If that may have happened, the names are read again as bytes.
  if (!entries.some(({ name }) => name.includes("\ufffd"))) return entries;
  return readdirSync(path, { withFileTypes: true, encoding: "buffer" }).map((entry) => ({
    name: decodeName(entry.name),
    isDirectory: () => entry.isDirectory(),
    isSymbolicLink: () => entry.isSymbolicLink(),
    isFile: () => entry.isFile(),
  }));
}
