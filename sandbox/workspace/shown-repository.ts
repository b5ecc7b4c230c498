// Decides whether commands may see and write a repository outside of the workspace, so that git works for
// them.
import { lstat, realpath } from "node:fs/promises";
import { join, relative } from "node:path";
import { isInside } from "../paths/inside.ts";
import type { Repository } from "./repository.ts";
import { isFile } from "./snapshot-store.ts";

export interface Surroundings {
  /** Real path of the workspace. */
  root: string;
  /** The server's state folder. */
  state: string;
  /** Real path of the home folder. */
  home: string;
}

/**
 * Each of its folders outside of the workspace must be a real folder that belongs to the person or to root.
 * None may be the home folder or a folder above it, and none may lie in the state folder or in one of the
 * home's dot folders, which hold keys and settings. The common folder must be git's.
 */
export async function mayBeShown(repository: Repository, around: Surroundings): Promise<boolean> {
  const { gitDir, commonDir, top } = repository;
  const { root, state, home } = around;
  const outside = [...new Set([gitDir, commonDir, top])].filter((path) => !isInside(root, path));
  for (const path of outside) {
    if (isInside(path, home) || isInside(state, path)) return false;
    if (isInside(home, path) && relative(home, path).startsWith(".")) return false;
    if ((await realpath(path).catch(() => undefined)) !== path) return false;
    if (!(await isOwners(path, root))) return false;
  }
  // A parent folder may contain the state folder, because the jail hides that; git's own folder may not.
  if (isInside(commonDir, state)) return false;
  return outside.length === 0 || ((await isGitFolder(commonDir)) && (await isFile(join(gitDir, "HEAD"))));
}

/** Whether the folder belongs to the user that runs this server, to root, or to the workspace's owner. */
async function isOwners(path: string, root: string): Promise<boolean> {
  const [found, workspace] = await Promise.all([lstat(path), lstat(root)]);
  return [process.getuid?.(), 0, workspace.uid].includes(found.uid);
}

async function isGitFolder(path: string): Promise<boolean> {
  if (!(await isFile(join(path, "HEAD")))) return false;
  const folders = await Promise.all(
    ["objects", "refs"].map((name) => lstat(join(path, name)).catch(() => undefined)),
  );
  return folders.every((found) => found?.isDirectory());
}
