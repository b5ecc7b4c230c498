// What of a worktree would come back to its folder: files, commits, and conflicts that wait to be resolved.
import { basename } from "node:path";
import type { WorktreeState } from "../../shared/worktree.ts";
import type { ServerContext } from "../context.ts";
import { limits } from "../limits.ts";
import type { Sandbox } from "../sandbox.ts";
import { bothSides } from "./both-sides.ts";
import type { RepositoryGit } from "./repository-git.ts";

export async function worktreeState(sandbox: Sandbox, server: ServerContext): Promise<WorktreeState> {
  const { redact } = server.redactor;
  const { folder, inWorktree, branch, commits, into } = await bothSides(sandbox, server);
  const since = commits.base ?? commits.folder;
  const [stat, untracked, status, counted] = await Promise.all([
    inWorktree.names("diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", since, "--"),
    inWorktree.names("ls-files", "-z", "--others", "--exclude-standard"),
    inWorktree.run(["status", "--porcelain", "--untracked-files=normal"]),
    inWorktree.line("rev-list", "--left-right", "--count", `${commits.folder}...HEAD`),
  ]);
  const [behind = 0, ahead = 0] = counted.split("\t").map(Number);
  const files = [
    ...stat.map((line) => {
      const [added, removed, path = ""] = line.split("\t");
      // `-` where it is no text.
      return { path, added: Number(added) || 0, removed: Number(removed) || 0 };
    }),
    ...untracked.map((path) => ({ path, added: 0, removed: 0 })),
  ].slice(0, limits.restoredNames);
  return {
    ...{ branch: redact(branch), folder: basename(folder.root), into: into && redact(into), files },
    ...{ commits: ahead, behind, uncommitted: status.stdout !== "" },
    conflicts: await unmerged(inWorktree),
  };
}

/** Files with conflicts of a merge that has begun. */
export async function unmerged(git: RepositoryGit): Promise<string[]> {
  const entries = await git.names("ls-files", "--unmerged", "-z");
  return [...new Set(entries.map((entry) => entry.slice(entry.indexOf("\t") + 1)))];
}
