// Unpacks an archive into a workspace. Everything in it is checked before the first file is written.
import { randomBytes } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { open, rename, rm, stat, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createGunzip } from "node:zlib";
import { HandrailError } from "../../shared/errors.ts";
import * as limits from "../limits.ts";
import { errnoOf, fsError } from "../paths/fs-error.ts";
import { openFolder } from "../paths/inside.ts";
import { leadsOut } from "../paths/link-target.ts";
import { changeablePath, pathEscape, relativePath } from "../paths/relative-path.ts";
import { readTar, type TarEntry } from "./read-tar.ts";

/**
 * Unpacks the tar.gz at `path` and returns the number of entries. Reads it twice as a stream: first to check
 * all of it, then to write. `mayWrite` throws if that many bytes are too many. Throws HandrailError; if the
 * archive is at fault, nothing was written.
 */
export async function unpack(
  root: string,
  path: string,
  mayWrite: (bytes: number) => Promise<void>,
): Promise<number> {
  let bytes = 0;
  await entriesOf(path, async (entry) => {
    bytes += limits.inodeBytes;
    for await (const part of entry.content) bytes += part.length;
  });
  await mayWrite(bytes);
  return entriesOf(path, async (entry) => {
    try {
      await write(root, entry);
    } catch (error) {
      throw fsError(error, entry.path);
    }
  });
}

async function entriesOf(path: string, each: (entry: TarEntry) => Promise<void>): Promise<number> {
  const { size } = await stat(path);
  const most = Math.min(limits.archiveBytes, Math.max(size * limits.archiveRatio, 1024 * 1024));
  let count = 0;
  const packed = createReadStream(path);
  const unzipped = packed.pipe(createGunzip());
  packed.once("error", (error) => unzipped.destroy(error));
  try {
    for await (const entry of checked(readTar(capped(unzipped, most)))) {
      count += 1;
      await each(entry);
    }
  } catch (error) {
    throw errnoOf(error)?.startsWith("Z_") ? notGzip(error) : error;
  } finally {
    packed.destroy();
    unzipped.destroy();
  }
  return count;
}

async function* capped(bytes: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer, void> {
  let total = 0;
  for await (const part of bytes) {
    total += part.length;
    if (total > most)
      throw new HandrailError(
        "too_large",
        `The archive unpacks to more than ${most} bytes. Send less at once.`,
      );
    yield part;
  }
}

function notGzip(cause: unknown): HandrailError {
  return new HandrailError("invalid_request", "The body is not whole gzip. Send a tar.gz archive.", {
    cause,
  });
}

async function* checked(entries: AsyncIterable<TarEntry>): AsyncGenerator<TarEntry, void> {
  let count = 0;
  for await (const entry of entries) {
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

function checkTarget(folder: string, target: string, path: string): void {
  if (leadsOut(folder, target)) throw pathEscape(path, "is a link out of the workspace");
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
      // The target is checked again from the folder in which the link is really made.
      checkTarget(parent.path === "" ? "." : parent.path, entry.target, entry.path);
      await symlink(entry.target, temporary);
    } else {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      const handle = await open(temporary, flags, entry.executable ? 0o777 : 0o666);
      try {
        for await (const part of entry.content) await handle.writeFile(part);
      } finally {
        await handle.close();
      }
    }
    await rename(temporary, join(parent.at, basename(entry.path)));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await parent.handle.close();
  }
}
