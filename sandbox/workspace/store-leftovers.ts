// Removes files that git leaves in a store when it is killed: locks, which would stop every later run, and
// incomplete objects and packs.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * The names are git's own, from lockfile.h, object-file.c and pack-write.c. No git may be running in the
 * store.
 */
const locks = ["index.lock", "packed-refs.lock", "HEAD.lock", "config.lock"];
const half = /^(tmp_|\.tmp-|sharedindex_)/;

/** Removes the index, which can be rebuilt from the workspace. */
export async function removeIndex(store: string): Promise<void> {
  await removeLeftovers(store);
  for (const name of await namesInFolder(store))
    if (name === "index" || name.startsWith("sharedindex.")) await rm(join(store, name), { force: true });
}

export async function removeLeftovers(store: string): Promise<void> {
  for (const lock of locks) await rm(join(store, lock), { force: true });
  for (const name of await namesInFolder(store))
    if (half.test(name)) await rm(join(store, name), { force: true });
  const objects = join(store, "objects");
  for (const folder of ["", ...(await namesInFolder(objects))]) {
    if (folder !== "" && folder !== "pack" && !/^[0-9a-f]{2}$/.test(folder)) continue;
    const place = join(objects, folder);
    for (const name of await namesInFolder(place))
      if (half.test(name)) await rm(join(place, name), { force: true });
  }
}

/** The names in `folder`; [] if it cannot be read. */
export function namesInFolder(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
