// Decides whether a new sandbox of a served folder gets a worktree, and where.
import { join } from "node:path";
import type { WantsWorktree } from "../../shared/worktree.ts";
import type { Jail } from "../jail/jailed-process.ts";
import type { SandboxPlace } from "../sources/place.ts";
import type { Folders } from "../workspace/folder.ts";
import { addWorktree, isClean, repositoryFor } from "./add-worktree.ts";

export interface WorktreeOptions {
  folders: Folders;
  jail: Jail | undefined;
  /** The state folder of the new sandbox. */
  dir: string;
  /** Whether another sandbox works in the folder at that real path. */
  inUse(root: string): Promise<boolean>;
}

/** The subfolder of a sandbox's state folder that holds its worktree. */
export const worktreeFolder = "worktree";

/**
 * Whether sandboxes of the folder at that real path can have worktrees, according to the current state of its
 * repository.
 */
export async function hasWorktrees(folders: Folders, root: string): Promise<boolean> {
  return repositoryFor(await folders.get(root)).then(
    () => true,
    () => false,
  );
}

/** `place`, or a worktree of it. Throws HandrailError if a worktree is required and cannot be made. */
export async function worktreePlace(
  place: SandboxPlace,
  { when, name }: WantsWorktree,
  { folders, jail, dir, inUse }: WorktreeOptions,
): Promise<SandboxPlace> {
  if (place.owned) return place;
  const folder = await folders.get(place.root);
  if (when === "shared" && !((await inUse(place.root)) && (await isClean(folder, jail)))) return place;
  await repositoryFor(folder);
  const root = join(dir, worktreeFolder);
  return {
    ...place,
    root,
    make: async () => {
      const made = await folder.lock.with("change", () => addWorktree({ folder, path: root, name, jail }));
      await (await folders.get(made.root)).belongTo(made.repository);
      return { of: folder.root, branch: made.branch, from: made.from };
    },
  };
}
