// What was taken out of a workspace, for the person who wants to see it there again.
import { randomBytes } from "node:crypto";
import { readdir, rename, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import type { TakenOutEntry } from "../../shared/taken-out.ts";
import { errnoOf } from "../paths/fs-error.ts";
import { openFolder } from "../paths/inside.ts";
import { osPath } from "../paths/os-path.ts";
import { shown } from "../paths/relative-path.ts";
import { entryAt } from "../workspace/looked-at.ts";
import { asidePrefix } from "../workspace/scan.ts";
import { aboutOf, folderOf, program, remove, takeOut } from "./taken-out.ts";

/** The newest first. `dir`: where it is kept. */
export async function takenOut(dir: string): Promise<TakenOutEntry[]> {
  const names = (await readdir(dir).catch(() => [])).sort().reverse();
  const entries: TakenOutEntry[] = [];
  for (const id of names) {
    const about = await aboutOf(join(dir, id));
    if (!about || !entryAt(join(dir, id), "it")) continue;
    const at = Math.round((await stat(join(dir, id, "about.json"))).mtimeMs);
    entries.push({ id, path: shown(about.path), why: shown(about.why), at, yours: about.yours });
  }
  return entries;
}

/** Puts one back where it was; what is there by now is taken out in its place. Throws `not_found`. */
export async function putBack(root: string, dir: string, id: string): Promise<void> {
  const isOne = (await readdir(dir).catch((): string[] => [])).includes(id);
  const place = join(dir, id);
  const about = isOne ? await aboutOf(place) : undefined;
  if (!about || !entryAt(place, "it"))
    throw new HandrailError(
      "not_found",
      "This sandbox keeps nothing of that id. It may have been put back already, or the oldest were forgotten.",
    );
  const { path } = about;
  const parent = await openFolder(root, folderOf(path), true);
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
