// Finds the real places of a change's files by following the links of their folders, and refuses places that
// are taken. Writes nothing.
import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { HandrailError } from "../../../shared/errors.ts";
import { errnoOf, fsError } from "../../paths/fs-error.ts";
import { type OpenedFolder, openFolder } from "../../paths/inside.ts";
import { changeablePath } from "../../paths/relative-path.ts";

/** The real place of a file to be made at `path`. Throws `stale_file` if something exists there. */
export async function freePlace(root: string, path: string): Promise<string> {
  const { entry, real } = await lookAt(root, path);
  if (!entry) return changeablePath(real);
  throw new HandrailError(
    "stale_file",
    `REJECTED, nothing written to ${path}.\nIt exists already. Read it, then edit it, or replace it with the version that you read as base.`,
    { details: { reason: "exists", path } },
  );
}

/** Refuses links, because deleting or moving one could be mistaken for doing so to its file. */
export async function mustBeNoLink(root: string, path: string): Promise<void> {
  const { entry } = await lookAt(root, path);
  if (!entry?.isSymbolicLink()) return;
  throw new HandrailError(
    "invalid_request",
    `REJECTED, nothing written to ${path}.\nIt is a link: name what it points to, or use a command.`,
  );
}

/** The entry at `path`, without following a link at its end. Missing folders are treated as if they existed. */
async function lookAt(root: string, path: string): Promise<{ entry: Stats | undefined; real: string }> {
  const names = path.split("/");
  for (let depth = names.length - 1; ; depth -= 1) {
    const folder = await folderIfThere(root, names.slice(0, depth).join("/"));
    if (!folder) continue;
    try {
      const rest = join(...names.slice(depth));
      const real = join(folder.path, rest);
      return {
        entry: depth < names.length - 1 ? undefined : await entryIfThere(join(folder.at, rest)),
        real,
      };
    } catch (error) {
      throw fsError(error, path);
    } finally {
      await folder.handle.close();
    }
  }
}

async function folderIfThere(root: string, path: string): Promise<OpenedFolder | undefined> {
  try {
    return await openFolder(root, path);
  } catch (error) {
    if (path !== "" && error instanceof HandrailError && error.code === "not_found") return undefined;
    throw error;
  }
}

async function entryIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
