// While a command runs, renames new entries that an editor or a shell prompt of the host would run at once.
// It watches the workspace's top folder and the top of git folders. Deeper entries are swept after the
// command.

import { randomBytes } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { folded, isEditorName } from "../../shared/editor-names.ts";
import { openFolder } from "../paths/inside.ts";
import { osPath } from "../paths/os-path.ts";
import { entryAt, within } from "../workspace/looked-at.ts";
import { asidePrefix, type ScannedTree } from "../workspace/scan.ts";
import type { Baseline } from "./baseline.ts";
import { isUnwantedInGit } from "./protected-names.ts";

/** Some small machines allow a user only 128 inotify watches. Folders without a watch are swept later. */
const mostWatches = 64;

/** Starts the watch. The returned function ends it and waits for pending work. */
export function watchFor(
  found: ScannedTree,
  baseline: Baseline,
  { root, editors }: { root: string; editors: boolean },
): () => Promise<void> {
  const watchers: FSWatcher[] = [];
  let work = Promise.resolve();
  const on = (folder: string, isUnwanted: (name: string) => boolean) => {
    if (watchers.length >= mostWatches) return;
    try {
      const watcher = watch(osPath(join(root, folder)), { encoding: "utf8" }, (_event, name) => {
        if (name === null || name.startsWith(asidePrefix) || !isUnwanted(name)) return;
        work = work.then(() => putAside(root, folder, name, baseline)).catch(() => undefined);
      });
      watcher.on("error", () => watcher.close());
      watchers.push(watcher);
    } catch {
      // No watch is available: the sweep finds the entry later.
    }
  };
  if (!editors) on("", (name) => isEditorName(name, ""));
  for (const { path, id } of found.gitFolders) {
    const before = baseline.git.get(id);
    on(path, (name) => before !== undefined && isUnwantedInGit(name) && !before.has(folded(name)));
  }
  return async () => {
    for (const watcher of watchers) watcher.close();
    await work;
  };
}

/**
 * The entry is renamed within its folder. Moving it out of a jail's mounts while a process works in it could
 * open a way out of the jail.
 */
async function putAside(root: string, folder: string, name: string, baseline: Baseline): Promise<void> {
  const parent = await openFolder(root, folder);
  try {
    const entry = entryAt(parent.at, name);
    if (
      !entry ||
      baseline.held.has(entry.id) ||
      baseline.links.get(within(folder, name))?.stamp === entry.stamp
    )
      return;
    const aside = `${asidePrefix}${randomBytes(6).toString("hex")}-${name.slice(0, 100)}`;
    await rename(join(parent.at, name), join(parent.at, aside));
  } finally {
    await parent.handle.close();
  }
}
