// Finds the repository of a workspace if it is outside: that of a linked worktree, of a submodule, or of a
// folder above. Done once, when a sandbox is made. A workspace's files are not trusted: the place that its
// `.git` names counts only if that place names the workspace in turn.
import { lstat, readFile, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { runProcess } from "../exec/run-process.ts";
import { isInside } from "../paths/inside.ts";
import { bareGitEnvironment, gitProgram } from "./git-process.ts";
import type { Repository } from "./repository.ts";
import { mayBeShown } from "./shown-repository.ts";
import { isFile } from "./snapshot-store.ts";

/**
 * The repository of the workspace at the real path `root`; undefined if there is none or it cannot be
 * trusted. The result must stay valid although commands can write to the workspace and to parts of the
 * repository.
 */
export async function findRepository(root: string, state: string): Promise<Repository | undefined> {
  // Our own copies contain their repository, and no folder above them is the person's.
  if (isInside(state, root)) return undefined;
  const home = await realpath(homedir()).catch(() => homedir());
  for (let top = root; top !== "/"; top = dirname(top)) {
    const found = await repositoryAt(top, home);
    if (found === "none") continue;
    if (!found || !(await mayBeShown(found, { root, state, home }))) return undefined;
    // A repository inside the workspace needs no record; see ownRepository.
    return found.gitDir === join(root, ".git") ? undefined : found;
  }
  return undefined;
}

/** "none": no repository begins here. undefined: one seems to, but it cannot be trusted. */
async function repositoryAt(top: string, home: string): Promise<Repository | undefined | "none"> {
  const dotGit = join(top, ".git");
  const found = await lstat(dotGit).catch(() => undefined);
  if (!found) return "none";
  if (found.isDirectory()) return { gitDir: dotGit, commonDir: dotGit, top };
  const gitDir = await named(dotGit, top, "gitdir: ");
  if (gitDir === undefined) return undefined;
  if (isInside(top, gitDir)) return { gitDir, commonDir: gitDir, top };
  return (await linkedWorktree(gitDir, top)) ?? (await submodule(gitDir, top, home));
}

/**
 * The repository of a linked worktree. Its git folder is `COMMON/worktrees/NAME`, where the file `gitdir`
 * names the worktree: https://git-scm.com/docs/gitrepository-layout. The file `commondir` there, which names
 * COMMON, is not read, because a command could write it.
 */
async function linkedWorktree(gitDir: string, top: string): Promise<Repository | undefined> {
  if (basename(dirname(gitDir)) !== "worktrees") return undefined;
  const back = await named(join(gitDir, "gitdir"), gitDir);
  return back === join(top, ".git") ? { gitDir, commonDir: dirname(dirname(gitDir)), top } : undefined;
}

/**
 * The repository of a worktree of `commonDir` that this server made at the real path `root`; undefined if it
 * is not one.
 */
export async function worktreeAt(root: string, commonDir: string): Promise<Repository | undefined> {
  const gitDir = await named(join(root, ".git"), root, "gitdir: ");
  const found = gitDir === undefined ? undefined : await linkedWorktree(gitDir, root);
  return found?.commonDir === commonDir ? found : undefined;
}

/**
 * A submodule's repository is in the `modules` of its parent's, and its configuration names the folder of its
 * files.
 */
async function submodule(gitDir: string, top: string, home: string): Promise<Repository | undefined> {
  for (let above = dirname(top); above !== "/" && !isInside(above, home); above = dirname(above)) {
    const parent = await repositoryAt(above, home);
    if (parent === "none") continue;
    const held = parent !== undefined && isInside(join(parent.gitDir, "modules"), gitDir);
    return held && (await worktreeOf(gitDir)) === top ? { gitDir, commonDir: gitDir, top } : undefined;
  }
  return undefined;
}

/** The real path of the place that the single line of the regular file `file` names, relative to `from`. */
async function named(file: string, from: string, before = ""): Promise<string | undefined> {
  const line = (await isFile(file)) ? await readFile(file, "utf8").catch(() => "") : "";
  if (!line.startsWith(before)) return undefined;
  const path = line.slice(before.length).replace(/\r?\n$/, "");
  return path === "" ? undefined : realpath(resolve(from, path)).catch(() => undefined);
}

async function worktreeOf(gitDir: string): Promise<string | undefined> {
  const args = ["config", "--file", join(gitDir, "config"), "--get", "core.worktree"];
  const spec = { args, cwd: gitDir, env: bareGitEnvironment(), timeoutMs: 10_000, maxOutputBytes: 8_192 };
  const outcome = await runProcess({ ...spec, file: gitProgram() ?? "git" }).catch(() => undefined);
  if (outcome?.exitCode !== 0) return undefined;
  return realpath(resolve(gitDir, outcome.stdout.trim())).catch(() => undefined);
}
