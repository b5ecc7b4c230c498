// Which names in a git folder make git run something, or look for its settings elsewhere.
import { folded } from "../../shared/editor-names.ts";

/** In a git folder: what starts programs, or says where another git folder is. */
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

/** Below a git folder: says whose objects git takes as well. */
export const alternates = "objects/info/alternates";

/** Names that no command may add to a git folder that was there: `branches` and `remotes` are git's old places for addresses. */
const unwantedInGit = new Set<string>(["config.worktree", "commondir", "gitdir", "branches", "remotes"]);

export function isUnwantedInGit(name: string): boolean {
  return unwantedInGit.has(folded(name));
}

/**
 * Whether git takes a folder with these entries (folded) for a repository, whatever the folder is called.
 * https://github.com/git/git/blob/v2.39.5/setup.c#L345 (is_git_directory)
 */
export function looksLikeGit(names: ReadonlySet<string>): boolean {
  if (names.has("commondir") && (names.has("head") || names.has("gitdir"))) return true;
  return names.has("objects") && names.has("refs") && (names.has("head") || names.has("worktrees"));
}
