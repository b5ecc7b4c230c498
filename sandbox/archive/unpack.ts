// Puts an archive into a workspace: everything in it is checked before the first file is written.
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join, posix } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { HandrailError } from "../../shared/errors.ts";
import { limits } from "../limits.ts";
import { errnoOf, fsError } from "../paths/fs-error.ts";
import { openFolder } from "../paths/inside.ts";
import { changeablePath, pathEscape, relativePath } from "../paths/relative-path.ts";
import { readTar, type TarEntry } from "./read-tar.ts";

/** Throws HandrailError, and then nothing was written; returns how many entries were. */
export async function unpack(root: string, archive: Buffer): Promise<number> {
  const entries = [...checked(readTar(await unzipped(archive)))];
  for (const entry of entries) {
    try {
      await write(root, entry);
    } catch (error) {
      throw fsError(error, entry.path);
    }
  }
  return entries.length;
}

async function unzipped(archive: Buffer): Promise<Buffer> {
  const most = Math.min(limits.archiveBytes, Math.max(archive.length * limits.archiveRatio, 1024 * 1024));
  try {
    return await promisify(gunzip)(archive, { maxOutputLength: most });
  } catch (error) {
    if (errnoOf(error) === "ERR_BUFFER_TOO_LARGE") {
      throw new HandrailError(
        "too_large",
        `The archive unpacks to more than ${most} bytes. Send less at once.`,
      );
    }
    throw new HandrailError("invalid_request", "The body is not gzip. Send a tar.gz archive.", {
      cause: error,
    });
  }
}

function* checked(entries: Iterable<TarEntry>): Generator<TarEntry, void> {
  let count = 0;
  for (const entry of entries) {
    if (relativePath(entry.path) === "") continue;
    count += 1;
    if (count > limits.archiveEntries)
      throw new HandrailError(
        "too_large",
        `The archive has more than ${limits.archiveEntries} entries. Send less at once.`,
      );
    const path = changeablePath(entry.path);
    if (entry.kind === "link") checkTarget(dirname(path), entry.target, path);
    yield { ...entry, path };
  }
}

/** A link may go up and then down; `..` behind a name could turn round at another link and leave. */
function checkTarget(folder: string, target: string, path: string): void {
  const names = target.split("/").filter((name) => name !== "" && name !== ".");
  const firstName = names.findIndex((name) => name !== "..");
  const turnsBack = firstName >= 0 && names.slice(firstName).includes("..");
  const reached = posix.join(folder, ...names);
  if (
    target.startsWith("/") ||
    target.includes("\0") ||
    names.length === 0 ||
    turnsBack ||
    reached.split("/")[0] === ".."
  ) {
    throw pathEscape(path, "is a link out of the workspace");
  }
}

async function write(root: string, entry: TarEntry): Promise<void> {
  if (entry.kind === "folder") {
    const made = await openFolder(root, entry.path, true);
    return made.handle.close();
  }
  const parent = await openFolder(root, dirname(entry.path) === "." ? "" : dirname(entry.path), true);
  const temporary = join(parent.at, `.handrail-tmp-${randomBytes(8).toString("hex")}`);
  try {
    if (entry.kind === "link") {
      // Once more, from where the link really comes to stand.
      checkTarget(parent.path === "" ? "." : parent.path, entry.target, entry.path);
      await symlink(entry.target, temporary);
    } else {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      const handle = await open(temporary, flags, entry.executable ? 0o777 : 0o666);
      await handle.writeFile(entry.content).finally(() => handle.close());
    }
    await rename(temporary, join(parent.at, basename(entry.path)));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await parent.handle.close();
  }
}
