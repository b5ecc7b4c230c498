// Writes the files of a snapshot to a folder of the server's own. One command runs in it; then it is deleted.
import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat, mkdir, readlink, realpath, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Bind } from "../jail/checked-binds.ts";
import * as limits from "../limits.ts";
import { openOwnPlace } from "../paths/own-place.ts";
import { removeTree } from "../paths/remove-tree.ts";
import type { DiskQuota } from "./disk-quota.ts";
import type { Repository } from "./repository.ts";
import { namesIn, type SnapshotStore } from "./snapshot-store.ts";
import { excludesOf } from "./snapshot-tree.ts";

export interface TreeCopy {
  /** Real path of the copy. */
  root: string;
  /**
   * Paths that git ignores in the workspace, such as installed dependencies. They are not part of a snapshot.
   */
  ignored: readonly string[];
  end(): Promise<void>;
}

/** This folder may still contain copies that a killed server left. The store's `prepare` removes it. */
export const copiesFolder = "copies";

/** The caller must keep `tree` while this runs. The copy counts towards the sandbox's quota. */
export async function copyTree(
  store: SnapshotStore,
  tree: string,
  { repository, quota }: { repository: Repository | undefined; quota: DiskQuota },
): Promise<TreeCopy> {
  await quota.check(1);
  const folder = join(store.dir, copiesFolder, randomBytes(8).toString("hex"));
  const files = join(folder, "files");
  await mkdir(files, { recursive: true, mode: 0o700 });
  const counted = await quota.include(folder);
  const end = () => removeTree(folder).then(counted);
  try {
    // The copy gets its own index, because the store's index describes the workspace.
    const env = { ...store.environment, GIT_INDEX_FILE: join(folder, "index"), GIT_CONFIG_COUNT: "0" };
    const excludes = await excludesOf(store, repository);
    const outcomes = await store.runner.all(
      [
        { args: ["read-tree", tree], env },
        { args: ["checkout-index", "--all", "--force", "--quiet", `--prefix=${files}/`], env },
        {
          args: [
            ...excludes,
            ...["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--", "."],
          ],
          env,
        },
      ],
      { timeoutMs: 5 * 60_000, quota },
    );
    await quota.mustHold();
    const listed = namesIn(outcomes[2]?.stdout ?? "").map((path) => path.replace(/\/$/, ""));
    return { root: await realpath(files), ignored: listed.slice(0, limits.copyIgnored), end };
  } catch (error) {
    await end();
    throw error;
  }
}

/**
 * Read-only mounts that show `paths` of the workspace at the same places in the copy. Links are made in the
 * copy instead and lead where they lead in the workspace. `mount`: where the command sees the copy. Stops
 * when the paths become too long in total, because each is compared inside the jail.
 */
export async function shownBinds(
  copy: string,
  paths: readonly string[],
  { root, mount }: { root: string; mount: string },
): Promise<Bind[]> {
  const binds: Bind[] = [];
  let chars = 0;
  for (const path of paths) {
    const source = join(root, path);
    chars += join(mount, path).length;
    if (chars > limits.copyShownChars) break;
    const found = await lstat(source).catch(() => undefined);
    if (found && (await makePlace(copy, path, found, source)) && !found.isSymbolicLink())
      binds.push({ source, at: join(mount, path), writable: false });
  }
  return binds;
}

/**
 * Creates a mount point, or the link itself. false = the snapshot has something in this place, which stays,
 * or one of its links is on the way, through which bubblewrap would create the mount point elsewhere on this
 * machine.
 */
async function makePlace(copy: string, path: string, found: Stats, source: string): Promise<boolean> {
  const parent = dirname(path);
  const above = await openOwnPlace(copy, parent === "." ? "" : parent, { create: true }).catch(
    () => undefined,
  );
  if (!above) return false;
  const place = join(above.at, basename(path));
  try {
    if (found.isDirectory()) await mkdir(place);
    else if (found.isSymbolicLink()) await symlink(await readlink(source), place);
    else if (found.isFile()) await writeFile(place, "", { flag: "wx" });
    else return false;
    return true;
  } catch {
    return false;
  } finally {
    await above.handle.close();
  }
}
