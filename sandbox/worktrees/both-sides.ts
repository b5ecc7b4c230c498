// A sandbox's worktree and the folder to which its work is brought back, each with its git.
import { HandrailError } from "../../shared/errors.ts";
import type { ServerContext } from "../context.ts";
import type { Sandbox } from "../sandbox.ts";
import type { Folder } from "../workspace/folder.ts";
import { repositoryFor } from "./add-worktree.ts";
import { RepositoryGit } from "./repository-git.ts";

export interface BothSides {
  /** The folder. */
  folder: Folder;
  inFolder: RepositoryGit;
  inWorktree: RepositoryGit;
  branch: string;
  /** The current commits of both sides, and their merge base; undefined = they have no common history. */
  commits: { folder: string; session: string; base: string | undefined };
  /** The parents of the worktree's next commit: its current commit, and that of a merge in progress. */
  tips: string[];
  /** The branch that the folder is on; null = detached. */
  into: string | null;
}

/** Throws `invalid_request` if the sandbox has no worktree or its folder is gone. */
export async function bothSides(
  { record, folder: own }: Sandbox,
  { registry, jail }: ServerContext,
): Promise<BothSides> {
  const { worktree } = record;
  // The repository according to the server's record. A `.git` that was written into the worktree later does
  // not count.
  const { outside } = own;
  if (!worktree || !outside)
    throw new HandrailError("invalid_request", "This session has no worktree of its own.");
  const folder = await registry.folders.get(worktree.of);
  const inFolder = new RepositoryGit({
    ...{ root: folder.root, jail, repository: await repositoryFor(folder) },
  });
  const inWorktree = new RepositoryGit({ root: own.root, jail, repository: outside });
  const commits = { folder: await inFolder.commit(), session: await inWorktree.commit() };
  const tips = [commits.session, await inWorktree.commit("MERGE_HEAD")].filter(Boolean);
  const base = (await inWorktree.maybe("merge-base", commits.folder, ...tips)) || undefined;
  return {
    ...{ folder, inFolder, inWorktree, tips, branch: worktree.branch },
    ...{ commits: { ...commits, base }, into: (await inFolder.branch()) || null },
  };
}
