// Reads entries, names and small files of a workspace without following links. A command run by this
// server's user may have taken that user's own right to look into a folder: it is given back.
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
import { nameOf, osPath } from "../paths/os-path.ts";

/** `id`: device and inode. `stamp`: that and the time of the last change of its entry, which nobody can set. */
export interface FolderEntry {
  /** Relative to the folder that was scanned; "" is that folder. */
  path: string;
  id: string;
  stamp: string;
}

export interface Named extends Pick<Dirent, "isDirectory" | "isSymbolicLink" | "isFile"> {
  name: string;
}

/** The entry at `path`, a link not followed; undefined if there is none, or none that this user can reach. */
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

/** The entries of the folder at `path`. "closed": programs of this user can go through it, but nobody here can list it. */
export function entriesIn(root: string, path: string): Named[] | "closed" {
  let handle: number | undefined;
  const full = join(root, path);
  try {
    handle = openListed(full);
    return listed(process.platform === "linux" ? `/proc/self/fd/${handle}` : full);
  } catch {
    // Gone meanwhile, or closed to this server's user: then to the programs of that user as well.
    return isEnterable(full) ? "closed" : [];
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Names in the folder at `path`; none if it is not a folder, or a link to one. */
export function namesIn(root: string, path: string): string[] {
  const entries = entriesIn(root, path);
  return entries === "closed" ? [] : entries.map(({ name }) => name);
}

/** Changes with whatever somebody changes at an entry or below it. */
export function treeMark(root: string, { path, stamp }: FolderEntry): string {
  const inside = namesIn(root, path).flatMap((name) => entryAt(root, within(path, name)) ?? []);
  return [stamp, ...inside.map((one) => treeMark(root, one))].join(" ");
}

/** The text of the regular file at `path`; undefined if it is none, a link, or above `maxBytes`. */
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

/** Lets this user list its own folder; false if it is another's, or nothing was missing. */
function mayList(path: string): boolean {
  let handle: number | undefined;
  try {
    handle = openSync(osPath(path), openPathOnly | folderOnly);
    const { uid, mode } = fstatSync(handle);
    if (uid !== process.geteuid?.() || (mode & 0o500) !== 0o100) return false;
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
  // Invalid UTF-8 was replaced in the names: names that may be affected are read again, as bytes.
  if (!entries.some(({ name }) => name.includes("\ufffd"))) return entries;
  return readdirSync(path, { withFileTypes: true, encoding: "buffer" }).map((entry) => ({
    name: nameOf(entry.name),
    isDirectory: () => entry.isDirectory(),
    isSymbolicLink: () => entry.isSymbolicLink(),
    isFile: () => entry.isFile(),
  }));
}
