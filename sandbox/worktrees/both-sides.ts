// A worktree of a sandbox and the folder that its work comes back to, each with its git.
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
  /** The commits both are on, and the newest that both have; undefined = their histories have nothing in common. */
  commits: { folder: string; session: string; base: string | undefined };
  /** What the worktree's next commit follows: its newest, and that of a merge that is under way. */
  tips: string[];
  /** The branch that the folder is on; null = none. */
  into: string | null;
}

/** Throws `invalid_request` if the sandbox has no worktree or its folder is gone. */
export async function bothSides(
  { record, folder: own }: Sandbox,
  { registry, jail }: ServerContext,
): Promise<BothSides> {
  const { worktree } = record;
  // As the server made it: what a `.git` in the worktree says by now is not asked.
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
