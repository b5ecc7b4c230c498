// Makes a git worktree for one sandbox, on its own branch, in the server's state folder.
import { mkdir, realpath } from "node:fs/promises";
import { branchNameOf, branchPrefix } from "../../shared/branch-name.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { Jail } from "../jail/jailed-process.ts";
import { removeTree } from "../paths/remove-tree.ts";
import { worktreeAt } from "../workspace/find-repository.ts";
import type { Folder } from "../workspace/folder.ts";
import { liesAbove, type Repository } from "../workspace/repository.ts";
import { RepositoryGit } from "./repository-git.ts";

export interface WorktreePlace {
  /** The folder whose worktree it will be. */
  folder: Folder;
  /** The folder for its files, which must not exist yet. */
  path: string;
  /** A name for people, from which the branch gets its name. */
  name: string | undefined;
  jail: Jail | undefined;
}

export interface MadeWorktree {
  root: string;
  repository: Repository;
  branch: string;
  /** The branch that the folder was on; null = detached. */
  from: string | null;
}

/**
 * The repository of `folder`, which must be able to have worktrees. Throws `unsupported` and names the
 * missing requirement.
 */
export async function repositoryFor(folder: Folder): Promise<Repository> {
  const repository = await folder.repository();
  if (!repository) throw new HandrailError("unsupported", "A worktree needs a folder with a git repository.");
  if (liesAbove(repository, folder.root))
    throw new HandrailError(
      "unsupported",
      "This folder is a part of a larger repository. Serve that one's own folder.",
    );
  return repository;
}

/** Whether the repository of `folder` has a commit, and the folder has no uncommitted changes. */
export async function isClean(folder: Folder, jail: Jail | undefined) {
  const repository = await repositoryFor(folder).catch(() => undefined);
  if (!repository) return false;
  const git = new RepositoryGit({ root: folder.root, repository, jail });
  if ((await git.commit()) === "") return false;
  const { stdout } = await git.run(["status", "--porcelain", "--untracked-files=normal"]);
  return stdout === "";
}

/** Makes a worktree of the folder's HEAD at `path`, which no other session may be using. Throws HandrailError. */
export async function addWorktree({ folder, path, name, jail }: WorktreePlace): Promise<MadeWorktree> {
  const repository = await repositoryFor(folder);
  const inFolder = new RepositoryGit({ root: folder.root, repository, jail });
  const commit = await inFolder.commit();
  if (commit === "") throw new HandrailError("unsupported", "A worktree needs a first commit in the folder.");
  const from = (await inFolder.branch()) || null;
  await mkdir(path, { recursive: true });
  const root = await realpath(path);
  await takeAway(inFolder, root);
  await mkdir(path, { recursive: true });
  const branch = freeName(name, new Set(await branches(inFolder)));
  const { commonDir } = repository;
  try {
    const git = new RepositoryGit({
      ...{ root, repository: { gitDir: commonDir, commonDir, top: root } },
      jail,
    });
    // Locked, because other git commands do not see its files and would treat it as gone.
    const add = ["worktree", "add", "--quiet", "--lock", "--no-checkout", "-b", branch];
    await git.run([...add, root, commit]);
    const own = await worktreeAt(root, commonDir);
    if (!own) throw new HandrailError("unsupported", "Git made no worktree here.");
    await new RepositoryGit({ root, repository: own, jail }).run(["reset", "--quiet", "--hard"]);
    return { root, repository: own, branch, from };
  } catch (error) {
    await takeAway(inFolder, root).catch(() => undefined);
    throw error;
  }
}

/**
 * Removes an unfinished worktree at `root` that no session has, because this server failed or was killed
 * while making it. Its branch is deleted if another branch contains all of it. `git worktree prune` is not
 * used: the jail does not show the person's own worktrees, so git would forget them too.
 */
async function takeAway(git: RepositoryGit, root: string): Promise<void> {
  await removeTree(root);
  const list = (await git.line("worktree", "list", "--porcelain")).split("\n");
  const at = list.indexOf(`worktree ${root}`);
  if (at < 0) return;
  await git.run(["worktree", "unlock", root], [0, 128]);
  await git.run(["worktree", "remove", "--force", root]);
  const [, branch = ""] = /^branch refs\/heads\/(.+)$/.exec(list[at + 2] ?? "") ?? [];
  if (!branch.startsWith(branchPrefix)) return;
  const held = await branches(git, "--contains", branch);
  if (held.some((each) => each !== branch)) await git.run(["branch", "-D", "--quiet", branch]);
}

/** The names of the repository's branches. `which`: further arguments of for-each-ref. */
export async function branches(git: RepositoryGit, ...which: string[]): Promise<string[]> {
  const list = await git.line("for-each-ref", "--format=%(refname:short)", ...which, "refs/heads/");
  return list.split("\n").filter(Boolean);
}

/** A free name for a branch, made from the words of `name`. */
export function freeName(name: string | undefined, taken: ReadonlySet<string>): string {
  const base = branchNameOf(name ?? "");
  for (let count = 1; ; count++) {
    const each = count === 1 ? base : `${base}-${count}`;
    if (!taken.has(each)) return each;
  }
}
