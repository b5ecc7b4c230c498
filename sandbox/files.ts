// Durable writing in the state folder. Not for the workspace: see paths/ and ops/change/.
import { randomBytes } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errnoOf } from "./paths/fs-error.ts";

/** Makes the entries of a folder lasting: a new or renamed file is not safe before. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems know no sync of a folder.
    if (errnoOf(error) !== "EINVAL") throw error;
  } finally {
    await handle.close();
  }
}

/** Replaces `path` with `content` at once or not at all. `durable`: it is on the disk when this returns. */
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

/** The file's bytes, or undefined where there is none. */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
