// Names in a git folder that make git run something, or look for its settings elsewhere.
import { folded } from "../../shared/editor-names.ts";

/** Entries of a git folder that start programs, or say where another git folder is. */
export const heldInGit = [
  "config",
  "config.worktree",
  "hooks",
  "info",
  "commondir",
  "gitdir",
  "modules",
  "branches",
  "remotes",
] as const;

/** Inside a git folder: names other repositories whose objects git also uses. */
export const alternates = "objects/info/alternates";

/**
 * Names that no command may add to an existing git folder. `branches` and `remotes` are git's old places for
 * addresses.
 */
const unwantedInGit = new Set<string>(["config.worktree", "commondir", "gitdir", "branches", "remotes"]);

export function isUnwantedInGit(name: string): boolean {
  return unwantedInGit.has(folded(name));
}

/**
 * Whether git treats a folder with these entries (folded) as a repository, whatever the folder is called.
 * https://github.com/git/git/blob/v2.39.5/setup.c#L345 (is_git_directory)
 */
export function looksLikeGit(names: ReadonlySet<string>): boolean {
  if (names.has("commondir") && (names.has("head") || names.has("gitdir"))) return true;
  return names.has("objects") && names.has("refs") && (names.has("head") || names.has("worktrees"));
}
