// A git repository as the server knows it: where its parts are, and how git is held to it.
import { lstat } from "node:fs/promises";
import { join, relative } from "node:path";
import * as z from "zod/mini";
import { isInside } from "../paths/inside.ts";

/** Real paths, all of them. */
export const Repository = z.object({
  /** Where HEAD and the index are. */
  gitDir: z.string(),
  /** Where objects, refs and configuration are: `gitDir`, except in a linked worktree. */
  commonDir: z.string(),
  /** The folder with its files: the workspace or a folder above it. */
  top: z.string(),
});
export type Repository = z.infer<typeof Repository>;

/**
 * The repository in the workspace itself: looked up each time, since a command may make one, and the jail has to show
 * nothing beyond the workspace for it. undefined unless `.git` is a real folder.
 */
export async function ownRepository(root: string): Promise<Repository | undefined> {
  const gitDir = join(root, ".git");
  const found = await lstat(gitDir).catch(() => undefined);
  return found?.isDirectory() ? { gitDir, commonDir: gitDir, top: root } : undefined;
}

/** Whether the repository begins in a folder above the workspace. */
export function liesAbove(repository: Repository | undefined, root: string): repository is Repository {
  return repository !== undefined && repository.top !== root;
}

/**
 * Variables that hold git to this repository, as a program sees it that has the workspace at `mount`. With them git
 * believes neither the workspace's `.git` file nor the repository's own `commondir`.
 */
export function repositoryEnvironment(
  repository: Repository,
  root: string,
  mount = root,
): Record<string, string> {
  const seen = (path: string) => (isInside(root, path) ? join(mount, relative(root, path)) : path);
  const { gitDir, commonDir, top } = repository;
  return {
    GIT_DIR: seen(gitDir),
    GIT_COMMON_DIR: seen(commonDir),
    GIT_WORK_TREE: seen(top),
  };
}
