// Shows what would be brought back from a worktree: files, commits, and conflicts that wait to be resolved.
import { basename, dirname } from "node:path";
import type { WorktreeState } from "../../shared/worktree.ts";
import type { ServerContext } from "../context.ts";
import * as limits from "../limits.ts";
import type { Sandbox } from "../sandbox.ts";
import { type BothSides, bothSides } from "./both-sides.ts";
import { ownIndex, reposWithin, treeNow } from "./own-index.ts";
import type { RepositoryGit } from "./repository-git.ts";

export async function worktreeState(sandbox: Sandbox, server: ServerContext): Promise<WorktreeState> {
  const { redact } = server.redactor;
  const sides = await bothSides(sandbox, server);
  const { folder, inWorktree, branch, commits, tips, into } = sides;
  const since = commits.base ?? commits.folder;
  const tree = await treeNow(inWorktree);
  const count = (...of: string[]) => inWorktree.line("rev-list", "--count", ...of);
  const [stat, committed, ahead, behind] = await Promise.all([
    countLines(inWorktree, since, tree),
    inWorktree.line("rev-parse", `${commits.session}^{tree}`),
    count(...tips, "--not", commits.folder),
    count(commits.folder, "--not", ...tips),
  ]);
  const files = stat.slice(0, limits.restoredNames).map((line) => {
    // A name may contain tabs.
    const [, added, removed, path = ""] = /^(.+?)\t(.+?)\t(.*)$/s.exec(line) ?? [];
    // `-` if the file is not text.
    return { path, added: Number(added) || 0, removed: Number(removed) || 0 };
  });
  return {
    ...{ branch: redact(branch), folder: basename(folder.root), into: into && redact(into), files },
    ...{ commits: +ahead, behind: +behind, total: stat.length, seen: seenStateId(tree, sides) },
    uncommitted: tree !== committed || tips.length > 1,
    conflicts: conflictPaths(await unmerged(inWorktree)),
    apart: await reposWithin(inWorktree),
  };
}

/**
 * Counts lines in an empty folder and with an empty index, so that git finds no `.gitattributes`: a command
 * could declare a text file binary in one.
 */
async function countLines(git: RepositoryGit, from: string, to: string): Promise<string[]> {
  const diff = ["diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", from, to, "--"];
  const { stdout } = await ownIndex((env) => git.run(["-C", dirname(env.GIT_INDEX_FILE), ...diff], [0], env));
  return stdout.split("\0").filter(Boolean);
}

/** Names the state of both sides that the person saw before tapping. */
export function seenStateId(tree: string, { commits, tips, into }: BothSides): string {
  return [tree, ...tips, commits.folder, into].join(" ");
}

/**
 * `MODE ID STAGE`, a tab and the path: one entry for each side's version of the files that conflict in a
 * merge in progress.
 */
export function unmerged(git: RepositoryGit, ...paths: string[]): Promise<string[]> {
  return git.names("ls-files", "--unmerged", "-z", "--", ...paths);
}

/** The paths of such entries, each once. */
export function conflictPaths(entries: readonly string[]): string[] {
  return [...new Set(entries.map((entry) => entry.slice(entry.indexOf("\t") + 1)))];
}
