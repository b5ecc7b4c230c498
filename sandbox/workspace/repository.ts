// Which git repository a workspace belongs to: its own, the one it is a linked worktree or submodule of, or the one it lies in.
// A workspace's files are not trusted: what its `.git` names counts only where that place names the workspace in turn.
import type { Stats } from "node:fs";
import { lstat, readFile, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { runProcess } from "../exec/run-process.ts";
import { isInside } from "../paths/inside.ts";
import { bareGitEnvironment, gitProgram } from "./git-process.ts";

/** Real paths, all of them. */
export interface Repository {
  /** Where HEAD and the index stand. */
  gitDir: string;
  /** Where objects, refs and configuration stand: `gitDir`, but for a linked worktree. */
  commonDir: string;
  /** The folder whose files it holds: the workspace or a folder above it. */
  top: string;
}

/**
 * The repository of the workspace at the real path `root`, or undefined. Folders above are looked at unless the
 * workspace is one of our own in `state`; none that holds the home folder counts, since it would show all of that.
 */
export async function repositoryOf(root: string, state: string): Promise<Repository | undefined> {
  const own = await repositoryAt(root);
  if (own !== "none") return own;
  if (isInside(state, root)) return undefined;
  const home = await realpath(homedir()).catch(() => homedir());
  for (let top = dirname(root); top !== "/" && !isInside(top, home); top = dirname(top)) {
    const found = await repositoryAt(top);
    if (found !== "none") return found;
  }
  return undefined;
}

/** "none": no repository begins here. undefined: one seems to, but it cannot be relied on. */
async function repositoryAt(top: string): Promise<Repository | undefined | "none"> {
  const dotGit = join(top, ".git");
  const found: Stats | undefined = await lstat(dotGit).catch(() => undefined);
  if (!found) return "none";
  if (found.isDirectory()) return { gitDir: dotGit, commonDir: dotGit, top };
  if (!found.isFile()) return undefined;
  const gitDir = await named(dotGit, top, "gitdir: ");
  if (gitDir === undefined) return undefined;
  if (isInside(top, gitDir)) return { gitDir, commonDir: gitDir, top };
  // A linked worktree: https://git-scm.com/docs/gitrepository-layout#Documentation/gitrepository-layout.txt-worktreesltidgtgitdir
  if ((await named(join(gitDir, "gitdir"), gitDir)) === dotGit) {
    const commonDir = await named(join(gitDir, "commondir"), gitDir);
    return commonDir === undefined ? undefined : { gitDir, commonDir, top };
  }
  return (await worktreeOf(gitDir)) === top ? { gitDir, commonDir: gitDir, top } : undefined;
}

/** The real path of the place that the one line of `file` names, as seen from `from`. */
async function named(file: string, from: string, before = ""): Promise<string | undefined> {
  const line = await readFile(file, "utf8").catch(() => "");
  if (!line.startsWith(before)) return undefined;
  const path = line.slice(before.length).replace(/\r?\n$/, "");
  return path === "" || path.includes("\0")
    ? undefined
    : realpath(resolve(from, path)).catch(() => undefined);
}

/** A submodule's repository stands in that of its parent and names its files' folder in its configuration. */
async function worktreeOf(gitDir: string): Promise<string | undefined> {
  const args = ["config", "--file", join(gitDir, "config"), "--get", "core.worktree"];
  const spec = { args, cwd: gitDir, env: bareGitEnvironment(), timeoutMs: 10_000, maxOutputBytes: 8_192 };
  const outcome = await runProcess({ ...spec, file: gitProgram() ?? "git" }).catch(() => undefined);
  if (outcome?.exitCode !== 0) return undefined;
  return realpath(resolve(gitDir, outcome.stdout.trim())).catch(() => undefined);
}

/** Whether the repository begins in a folder above the workspace. */
export function liesAbove(repository: Repository | undefined, root: string): repository is Repository {
  return repository !== undefined && repository.top !== root;
}

/** Variables that hold git to this repository, as a program sees it that has the workspace at `mount`. */
export function repositoryEnvironment(
  repository: Repository,
  root: string,
  mount = root,
): Record<string, string> {
  const seen = (path: string) => (isInside(root, path) ? join(mount, relative(root, path)) : path);
  return { GIT_DIR: seen(repository.gitDir), GIT_WORK_TREE: seen(repository.top) };
}
