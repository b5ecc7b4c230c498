// An index of the server's own, for trees that are made without touching what a person or a command has
// staged.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RepositoryGit } from "./repository-git.ts";

/** Runs `work` with an empty index that no command reaches. */
export async function ownIndex<T>(work: (env: { GIT_INDEX_FILE: string }) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "handrail-"));
  try {
    return await work({ GIT_INDEX_FILE: join(folder, "index") });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Copies the entries of the worktree's index without their flags, because a command may have marked files as
 * unchanged. In a sparse checkout the flags are needed, so the index is copied whole.
 */
const addAll = `!f() { if [ "$(git config --bool core.sparseCheckout)" = true ]; then cp "$1" "$GIT_INDEX_FILE"
else GIT_INDEX_FILE=$1 git ls-files -sz | git update-index -z --index-info; fi; shift; git add --all -- . "$@" && git write-tree; }; f`;

/**
 * Nested repositories. Git would add only a commit id of each and none of its files, and fails if it has no
 * commit.
 */
export async function reposWithin(git: RepositoryGit): Promise<string[]> {
  return (await git.names("ls-files", "-oz", "--exclude-standard")).filter((path) => path.endsWith("/"));
}

/** The tree that a commit of all current files would have, without nested repositories. */
export async function treeNow(git: RepositoryGit): Promise<string> {
  const index = join(git.place.repository.gitDir, "index");
  const without = (await reposWithin(git)).map((path) => `:(exclude,literal)${path}`);
  return ownIndex(async (env) => {
    const args = ["-c", `alias.handrail=${addAll}`, "handrail", index, ...without];
    return (await git.run(args, [0], env)).stdout.trim();
  });
}
