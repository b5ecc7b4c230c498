// The differences between two trees of a repository, and the error for a nested repository.
import { HandrailError } from "../../shared/errors.ts";
import { changesIn, type FileStep } from "../workspace/tree-merge.ts";
import type { RepositoryGit } from "../worktrees/repository-git.ts";

export async function treeChanges(
  git: RepositoryGit,
  from: string,
  to: string,
): Promise<Map<string, FileStep>> {
  return changesIn((await git.run(["diff-tree", "-r", "-z", "--no-renames", from, to])).stdout);
}

/** Git would store only a commit id for it, and none of its files. */
export function isRepository(path: string): HandrailError {
  return new HandrailError("invalid_request", `${path} is a repository of its own: leave it out.`);
}
