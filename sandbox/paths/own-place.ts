// Opens a folder of a workspace at exactly the place that a path names. No link on the way is followed, not
// even one that stays inside, and every folder on the way can be distinguished from another that replaced it.
import { join } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import { errnoOf, fsError } from "./fs-error.ts";
import { makeOne, type OpenedFolder, openOne } from "./inside.ts";
import { shown } from "./relative-path.ts";

export interface OwnPlace extends OpenedFolder {
  /** Device and inode of each folder on the way, from the first below the workspace to this one. */
  ids: string[];
}

export interface PlaceOptions {
  /** Makes missing folders. */
  create?: boolean;
  /** Called for each existing folder before anything is made in it. If it throws, the walk ends. */
  check?: (folder: OpenedFolder, id: string, depth: number) => Promise<void>;
}

/** The caller closes the handle. Throws `path_escape` if one of the names is a link. */
export async function openOwnPlace(
  root: string,
  path: string,
  { create = false, check }: PlaceOptions = {},
): Promise<OwnPlace> {
  const names = path === "" ? [] : path.split("/");
  const ids: string[] = [];
  let current = await openOne(root, root, path);
  try {
    for (const [depth, name] of names.entries()) {
      const at = join(current.at, name);
      let made = false;
      const open = () => openOne(root, at, path, false);
      const next = await open().catch(async (error: unknown) => {
        if (!create || errnoOf(error) !== "ENOENT") throw error;
        made = await makeOne(at);
        return open();
      });
      await current.handle.close();
      current = next;
      const { dev, ino } = await current.handle.stat({ bigint: true });
      const id = `${dev}:${ino}`;
      ids.push(id);
      if (!made) await check?.(current, id, depth);
    }
    return { ...current, ids };
  } catch (error) {
    await current.handle.close().catch(() => undefined);
    if (errnoOf(error) === "ELOOP" || errnoOf(error) === "ENOTDIR")
      throw new HandrailError(
        "path_escape",
        `${shown(path)} has a link or a file where a folder was. Move that away, and try again.`,
        { details: { path: shown(path) } },
      );
    throw fsError(error, path);
  }
}
