// A git repository as the server records it: where its parts are, and how git is limited to them.
import { lstat } from "node:fs/promises";
import { join, relative } from "node:path";
import * as z from "zod/mini";
import { isInside } from "../paths/inside.ts";

/** All paths are real paths. */
export const Repository = z.object({
  /** The folder with HEAD and the index. */
  gitDir: z.string(),
  /** The folder with objects, refs and configuration: `gitDir`, except in a linked worktree. */
  commonDir: z.string(),
  /** The folder of the working tree: the workspace or a folder above it. */
  top: z.string(),
});
export type Repository = z.infer<typeof Repository>;

/**
 * The repository in the workspace itself; undefined unless `.git` is a real folder. It is looked up each
 * time, because a command may make one, and needs no record, because the jail shows it with the workspace.
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
 * Variables that limit git to this repository, for a program that sees the workspace at `mount`. With them
 * git ignores the workspace's `.git` file and the repository's own `commondir`.
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
