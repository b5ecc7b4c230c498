// The mounts that show a repository outside of the workspace in the jail.
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isFolder, isInside } from "../paths/inside.ts";
import type { Repository } from "../workspace/repository.ts";
import type { Bind } from "./checked-binds.ts";
import type { JailedRun } from "./jailed-process.ts";

export interface MountOptions {
  root: string;
  writable: boolean;
  /** The server's state folder, which is hidden even inside the repository. */
  state: string;
}

/**
 * Folders above the workspace can be read. In git's own folder, a command with write access may write what a
 * commit changes, but neither configuration and hooks, which run programs, nor the files that say where a
 * repository's parts are. `repository`: from the server's own records, never from files of the workspace.
 */
export function repositoryMounts(
  repository: Repository | undefined,
  { root, writable, state }: MountOptions,
): Pick<JailedRun, "under" | "mounts"> {
  if (!repository) return {};
  const { gitDir, commonDir, top } = repository;
  const under: Bind[] = [];
  const show = (path: string, open = false) => {
    // A folder that is shown read-only already shows it, and another command may put a link at its place, where
    // bubblewrap would create a missing mount point.
    const isShown = !writable && under.some(({ source }) => isInside(source, path));
    if (!isInside(root, path) && !isShown) under.push({ source: path, at: path, writable: open });
  };
  if (top !== root) show(top);
  const linked = gitDir !== commonDir;
  show(commonDir, writable && !linked);
  if (linked) show(gitDir, writable);
  if (writable && linked) for (const path of sharedParts(commonDir)) show(path, true);
  if (writable) for (const path of keptParts(repository)) show(path);
  const hidesState = under.some(({ source }) => isInside(source, state));
  return { under, mounts: hidesState ? ["--tmpfs", state] : [] };
}

/**
 * The parts of a linked worktree's common folder to which a commit, a branch or a tag writes. `packed-refs`
 * is not included: git writes its replacement next to it, and write access to that folder would also allow
 * writing `commondir`. So deleting a branch and `gc` fail there.
 */
function sharedParts(commonDir: string): string[] {
  return ["objects", "refs", "logs"].map((name) => join(commonDir, name)).filter(isFolder);
}

/**
 * Entries that stay read-only in a folder that a command may write to. Links are left out, because a mount
 * cannot hold them.
 */
function keptParts({ gitDir, commonDir }: Repository): string[] {
  const isReal = isFolder(gitDir) && realpathSync(gitDir) === gitDir;
  // If they are missing, a command could make them. Empty ones change nothing: `git init` makes them too.
  if (isReal && gitDir === commonDir)
    for (const name of ["hooks", "info"]) mkdirSync(join(gitDir, name), { recursive: true });
  if (isReal && usesWorktreeConfig(commonDir))
    writeFileSync(join(gitDir, "config.worktree"), "", { flag: "a" });
  // These files are optional. While this jail is made, a command of another sandbox could create and replace
  // them, and bubblewrap creates a missing target, even through a link. So files that appear there are not
  // mounted but put aside and swept.
  const own = gitDir === commonDir ? [] : ["commondir", "gitdir"];
  const worktree = usesWorktreeConfig(commonDir) ? ["config.worktree"] : [];
  const names = [
    "hooks",
    "info",
    "modules",
    "worktrees",
    "branches",
    "remotes",
    "config",
    ...worktree,
    ...own,
  ];
  return names
    .map((name) => join(gitDir, name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false);
}

/**
 * Git reads config.worktree only if the repository's settings say so.
 * https://git-scm.com/docs/git-worktree#_configuration_file
 */
function usesWorktreeConfig(commonDir: string): boolean {
  const config = join(commonDir, "config");
  return existsSync(config) && /worktreeConfig/i.test(readFileSync(config, "utf8"));
}
