// Durable writing in the state folder. For the workspace, see paths/ and ops/change/.
import { randomBytes } from "node:crypto";
import { open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errnoOf } from "./paths/fs-error.ts";

/** Makes the entries of a folder durable. Before that, a new or renamed file may be lost in a crash. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems cannot sync a folder.
    if (errnoOf(error) !== "EINVAL") throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Replaces `path` with `content` at once or not at all. `durable`: the content is on the disk when this
 * returns.
 */
export async function writeWhole(
  path: string,
  content: string | Uint8Array,
  durable: boolean,
): Promise<void> {
  const temporary = join(dirname(path), `.tmp-${randomBytes(8).toString("hex")}`);
  const handle = await open(temporary, "wx", 0o600);
  try {
    await handle.writeFile(content);
    if (durable) await handle.sync();
    await handle.close();
    await rename(temporary, path);
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
  if (durable) await syncFolder(dirname(path));
}

/**
 * Removes temporary files that `writeWhole` left when a server was killed, in the state folder `dir` and in
 * folders below it. Follows no link.
 */
export async function removeHalves(dir: string, depth = 4): Promise<void> {
  for (const entry of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
    const path = join(dir, entry.name);
    if (entry.isFile()) {
      if (entry.name.startsWith(".tmp-")) await rm(path, { force: true });
    } else if (depth > 0 && entry.isDirectory() && !notOurs.test(entry.name))
      await removeHalves(path, depth - 1);
  }
}

/**
 * Sandboxes' own files are skipped. So is `versions`, which removes its oldest files itself and may have
 * thousands of folders.
 */
const notOurs = /^(workspace|worktree|versions)$/;

/** The file's bytes, or undefined if there is none. */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
