// Puts entries that were taken out of a workspace back for the person who wants them.
import { randomBytes } from "node:crypto";
import { readdir, rename, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { folded } from "../../shared/editor-names.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { TakenOutEntry } from "../../shared/taken-out.ts";
import { errnoOf } from "../paths/fs-error.ts";
import { osPath } from "../paths/os-path.ts";
import { openOwnPlace } from "../paths/own-place.ts";
import { shown } from "../paths/relative-path.ts";
import { entryAt } from "../workspace/looked-at.ts";
import { asidePrefix } from "../workspace/scan.ts";
import { looksLikeGit } from "./protected-names.ts";
import { type AboutTakenOut, aboutOf, folderOf, program, remove, takeOut } from "./taken-out.ts";
import { runBy } from "./taken-out-runs.ts";

/** Newest first. `dir`: where they are kept. */
export async function takenOut(dir: string): Promise<TakenOutEntry[]> {
  const names = (await readdir(dir).catch(() => [])).sort().reverse();
  const entries: TakenOutEntry[] = [];
  for (const id of names) {
    const about = await aboutOf(join(dir, id));
    if (!about || !entryAt(join(dir, id), "it")) continue;
    const at = Math.round((await stat(join(dir, id, "about.json"))).mtimeMs);
    const runs = runBy(about.path, join(dir, id, "it"));
    entries.push({
      ...{ id, path: shown(about.path), why: shown(about.why), at, yours: about.yours },
      ...(runs.length > 0 ? { runs } : {}),
    });
  }
  return entries;
}

/**
 * Puts one entry back. An entry that is now at its path is taken out instead. Throws `not_found`; throws
 * `path_escape` or `forbidden` if the folder is no longer the same one, because commands or the person may
 * have put another folder there.
 */
export async function putBack(root: string, dir: string, id: string): Promise<void> {
  const isOne = (await readdir(dir).catch((): string[] => [])).includes(id);
  const place = join(dir, id);
  const about = isOne ? await aboutOf(place) : undefined;
  if (!about || !entryAt(place, "it"))
    throw new HandrailError("not_found", "Nothing of that id is kept any more.");
  const { path } = about;
  const parent = await openOwnPlace(root, folderOf(path), {
    create: true,
    check: (folder, id, depth) => sameFolder(about, { at: folder.at, id, depth }),
  });
  try {
    await takeOut(root, dir, { path, why: "it gave way to what was put back", yours: true });
    const to = osPath(join(parent.at, basename(path)));
    try {
      await rename(join(place, "it"), to);
    } catch (error) {
      if (errnoOf(error) !== "EXDEV") throw error;
      const aside = join(parent.at, `${asidePrefix}${randomBytes(6).toString("hex")}`);
      const seen = aside.replace("/proc/self/", `/proc/${process.pid}/`);
      if (!(await program("cp", ["-a", "--", join(place, "it"), seen], "/")))
        throw new HandrailError("internal", "It could not be copied back. It is kept where it was.");
      await rename(aside, to);
    }
  } finally {
    await parent.handle.close();
  }
  await remove(place);
}

/**
 * Throws unless the folder is the one that the entry was taken from. Without a record of that, a git folder
 * never counts as the same.
 */
async function sameFolder(
  { path, folders }: AboutTakenOut,
  { at, id, depth }: { at: string; id: string; depth: number },
): Promise<void> {
  const isIt = folders
    ? folders[depth] === id
    : folded(path.split("/")[depth] ?? "") !== ".git" &&
      !looksLikeGit(new Set((await readdir(at)).map(folded)));
  if (isIt) return;
  const folder = shown(
    path
      .split("/")
      .slice(0, depth + 1)
      .join("/"),
  );
  throw new HandrailError(
    "forbidden",
    `${folder} is another folder than the one this was taken from. It stays where it is kept. Move that folder away to put this back.`,
  );
}
