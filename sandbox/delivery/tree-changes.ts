// The differences between two trees of a repository, and the error for a nested repository.
import { HandrailError } from "../../shared/errors.ts";
import type { RepositoryGit } from "../worktrees/repository-git.ts";

/**
 * A changed file in its state in `to`; mode "0" if it was deleted. `was`: its mode in `from`, with a colon in
 * front.
 */
export interface TreeEntry {
  path: string;
  was: string;
  mode: string;
  id: string;
}

export async function treeChanges(git: RepositoryGit, from: string, to: string): Promise<TreeEntry[]> {
  const raw = await git.names("diff-tree", "-r", "--raw", "-z", "--no-renames", from, to);
  return raw.flatMap((field, at) => {
    const [was = "", mode = "", , id = ""] = field.split(" ");
    return at % 2 === 0 ? [{ path: raw[at + 1] ?? "", was, mode: mode === "000000" ? "0" : mode, id }] : [];
  });
}

/** Git would store only a commit id for it, and none of its files. */
export function isRepository(path: string): HandrailError {
  return new HandrailError("invalid_request", `${path} is a repository of its own: leave it out.`);
}
