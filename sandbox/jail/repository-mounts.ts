// What the jail shows of a repository that is not in the workspace itself.
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isFolder, isInside } from "../paths/inside.ts";
import type { Repository } from "../workspace/repository.ts";
import type { Bind } from "./checked-binds.ts";
import type { JailedRun } from "./jailed-process.ts";

export interface MountOptions {
  root: string;
  writable: boolean;
  /** The server's state folder: hidden wherever it is. */
  state: string;
}

/**
 * Folders above the workspace can be read. Of git's own, a command that may write gets what a commit changes; never
 * configuration and hooks, which run programs, nor what says where a repository's parts are. `repository`: as the server
 * keeps it, never as files of the workspace say.
 */
export function repositoryMounts(
  repository: Repository | undefined,
  { root, writable, state }: MountOptions,
): Pick<JailedRun, "under" | "mounts"> {
  if (!repository) return {};
  const { gitDir, commonDir, top } = repository;
  const under: Bind[] = [];
  const show = (path: string, open = false) => {
    if (!isInside(root, path)) under.push({ source: path, at: path, writable: open });
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
 * What a commit, a branch or a tag writes in the common folder of a linked worktree. `packed-refs` is not among it: git
 * writes a new one beside it, where it could write `commondir` as well. So deleting a branch and `gc` fail there.
 */
function sharedParts(commonDir: string): string[] {
  return ["objects", "refs", "logs"].map((name) => join(commonDir, name)).filter(isFolder);
}

/** Entries that stay unchanged in a folder that a command may write to. A mount cannot hold a link. */
function keptParts({ gitDir, commonDir }: Repository): string[] {
  const isReal = realpathSync(gitDir) === gitDir;
  // Missing, they could be made; empty ones are what `git init` makes.
  if (isReal && gitDir === commonDir)
    for (const name of ["hooks", "info"]) mkdirSync(join(gitDir, name), { recursive: true });
  if (isReal && usesWorktreeConfig(commonDir))
    writeFileSync(join(gitDir, "config.worktree"), "", { flag: "a" });
  // A command of another sandbox could create and replace optional files while this jail is made, and bubblewrap creates a
  // missing target, even through a link. So files that appear there are put aside and swept instead.
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

/** https://git-scm.com/docs/git-worktree#_configuration_file: read only where the repository says so. */
function usesWorktreeConfig(commonDir: string): boolean {
  const config = join(commonDir, "config");
  return existsSync(config) && /worktreeConfig/i.test(readFileSync(config, "utf8"));
}
