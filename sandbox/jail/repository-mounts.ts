// What the jail shows of a repository that does not stand in the workspace itself.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../paths/inside.ts";
import type { Repository } from "../workspace/repository.ts";

export interface MountOptions {
  root: string;
  writable: boolean;
  /** The server's state folder: out of sight wherever it stands. */
  state: string;
}

/**
 * Arguments of bubblewrap, to stand before the workspace's own mount. Folders above the workspace can be read, and
 * git's own can be written where the command may commit; but its configuration and hooks, which run programs, never.
 */
export function repositoryMounts(repository: Repository | undefined, options: MountOptions): string[] {
  if (!repository) return [];
  const { root, writable, state } = options;
  const { gitDir, commonDir, top } = repository;
  const args: string[] = [];
  if (top !== root) args.push("--ro-bind", top, top);
  for (const folder of new Set([commonDir, gitDir])) {
    if (isInside(root, folder)) continue;
    const shown = isInside(commonDir, folder) && folder !== commonDir;
    if (!shown) args.push(writable ? "--bind" : "--ro-bind", folder, folder);
    if (writable) args.push(...kept(folder));
  }
  if (args.length > 0 && [top, commonDir].some((shown) => isInside(shown, state)))
    args.push("--tmpfs", state);
  return args;
}

function kept(gitDir: string): string[] {
  const hooks = join(gitDir, "hooks");
  // Missing, it could be made; an empty one is what `git init` makes.
  if (existsSync(join(gitDir, "objects"))) mkdirSync(hooks, { recursive: true });
  return ["hooks", "config", "config.worktree", "info/attributes"].flatMap((name) => {
    const path = join(gitDir, name);
    return existsSync(path) ? ["--ro-bind", path, path] : [];
  });
}
