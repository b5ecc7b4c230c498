// Removes a sandbox's worktree. Its commits and uncommitted files stay in the repository on a branch, even if
// the session's commands damaged the worktree's own git folder: another branch, no branch, stale locks, a
// broken index.
import { rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { branchPrefix } from "../../shared/branch-name.ts";
import type { Jail } from "../jail/jailed-process.ts";
import { isFolder } from "../paths/inside.ts";
import { removeTree } from "../paths/remove-tree.ts";
import type { Sandbox } from "../sandbox.ts";
import { branches, freeName } from "./add-worktree.ts";
import { ownIndex } from "./own-index.ts";
import { RepositoryGit } from "./repository-git.ts";

type EndedSandbox = Pick<Sandbox, "folder" | "record">;

/**
 * Deletes the session's branch if another branch contains all of it. Ignored files and nested repositories
 * are not kept. The caller removes the files themselves. Returns the reason if the work could not be
 * committed.
 */
export function endWorktree(sandbox: EndedSandbox, jail: Jail | undefined): Promise<string | undefined> {
  return end(sandbox, jail).then(
    () => undefined,
    (error: unknown) => `A worktree could not be kept on a branch: ${String(error)}`,
  );
}

async function end(
  { folder: { root, outside: repository }, record: { worktree } }: EndedSandbox,
  jail: Jail | undefined,
): Promise<void> {
  if (!worktree || !repository || !isFolder(repository.commonDir)) return;
  const { branch } = worktree;
  const { commonDir, gitDir } = repository;
  const git = new RepositoryGit({
    ...{ root, repository: { gitDir: commonDir, commonDir, top: root } },
    jail,
  });
  const tip = (await git.commit(`refs/heads/${branch}`)) || undefined;
  const head = (await new RepositoryGit({ root, repository, jail }).commit()) || undefined;
  const last = await withUncommitted(git, head ?? tip);
  if ((await branches(git, "--contains", last)).length === 0) await keep(git, { branch, tip, last });
  await removeTree(gitDir);
  // Git does the same: the folder of all worktrees is removed with the last one.
  await rmdir(dirname(gitDir)).catch(() => undefined);
  const now = (await git.commit(`refs/heads/${branch}`)) || undefined;
  const held = now && (await branches(git, "--contains", now)).some((each) => each !== branch);
  if (held) await git.run(["update-ref", "-d", `refs/heads/${branch}`, now], [0, 1, 128]);
}

/**
 * `on`, or a commit on top of it with the current files. Uses its own index, because the worktree's may be
 * damaged.
 */
function withUncommitted(git: RepositoryGit, on: string | undefined): Promise<string> {
  return ownIndex(async (env) => {
    await git.run(on === undefined ? ["read-tree", "--empty"] : ["read-tree", on], [0], env);
    // 1 and 128 = a file cannot be read, or a nested repository has no commit. All other files are added.
    await git.run(["add", "--all", "--ignore-errors"], [0, 1, 128], env);
    const tree = (await git.run(["write-tree"], [0], env)).stdout.trim();
    if (on !== undefined && tree === (await git.line("rev-parse", `${on}^{tree}`))) return on;
    const parents = on === undefined ? [] : ["-p", on];
    const message = "Uncommitted work of a session that was deleted";
    return git.line("commit-tree", tree, ...parents, "-m", message);
  });
}

/**
 * Keeps `last` on a branch: the session's own if that is a fast-forward and nothing locks it, otherwise a new
 * one.
 */
async function keep(
  git: RepositoryGit,
  { branch, tip, last }: { branch: string; tip: string | undefined; last: string },
): Promise<void> {
  const isFastForward =
    tip === undefined || (await git.run(["merge-base", "--is-ancestor", tip, last], [0, 1])).exitCode === 0;
  if (
    isFastForward &&
    (await git.run(["update-ref", `refs/heads/${branch}`, last], [0, 1, 128])).exitCode === 0
  )
    return;
  const free = freeName(branch.slice(branchPrefix.length), new Set([...(await branches(git)), branch]));
  await git.run(["update-ref", `refs/heads/${free}`, last]);
}
