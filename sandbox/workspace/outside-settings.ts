// Where there is no jail: refuses git in a repository that leads it to files outside of the workspace, since it would
// print parts of them. A command can write such settings, and plan mode shows what git says.
import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import type { ProcessOutcome } from "../exec/run-process.ts";
import { isInside } from "../paths/inside.ts";
import type { Repository } from "./repository.ts";

/** All settings of git 2.39 that name a file which is read: https://git-scm.com/docs/git-config */
const naming = [
  ...["blame\\.ignorerevsfile", "core\\.excludesfile", "core\\.attributesfile", "commit\\.template"],
  ...[
    "mailmap\\.file",
    "diff\\.orderfile",
    "format\\.signaturefile",
    "gpg\\.ssh\\..*file",
    "fsck\\.skiplist",
  ],
  ...["receive\\.fsck\\.skiplist", "fetch\\.fsck\\.skiplist", "http\\..*cookiefile", "init\\.templatedir"],
  ...["include\\.path", "includeif\\..*\\.path", "core\\.worktree"],
].join("|");

export interface GitHere {
  /** Runs git where the command will run, with its variables. */
  run(args: readonly string[]): Promise<ProcessOutcome>;
  /** The folder it runs in. */
  cwd: string;
  /** Real path of the workspace. */
  root: string;
  /** The repository that the server knows of. */
  repository: Repository | undefined;
}

/** Throws `path_escape`, naming the setting. What the person's own configuration or the machine's says is theirs. */
export async function refuseOutsideSettings(git: GitHere): Promise<void> {
  const found = await git.run([
    "-c",
    "safe.directory=*",
    "rev-parse",
    "--absolute-git-dir",
    "--git-common-dir",
  ]);
  // No repository, nothing to be led by.
  if (found.exitCode !== 0) return;
  const places = found.stdout
    .trimEnd()
    .split("\n")
    .map((place) => resolve(git.cwd, place));
  const [gitDir = git.cwd, commonDir = gitDir] = places;
  for (const place of new Set(places)) {
    await check(git, place, "its own place");
    await checkLinks(git, place, new Set(), notRead);
  }
  await checkAlternates(git, join(commonDir, "objects"), new Set());
  await checkConfig(git, gitDir);
}

/** In a git folder: hooks are not run here, wherever they are, and submodules are not looked into. */
const notRead = ["hooks", "modules"];

/**
 * Git follows links at any depth: one in place of a folder of objects shows those of another repository. `seen`: real paths
 * of the folders that were checked. `besides`: names in this folder that are not.
 */
async function checkLinks(
  git: GitHere,
  folder: string,
  seen: Set<string>,
  besides: readonly string[] = [],
): Promise<void> {
  const real = await realpath(folder).catch(() => folder);
  if (seen.has(real)) return;
  seen.add(real);
  const entries = await readdir(real, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter(({ name }) => !besides.includes(name))) {
    const path = join(real, entry.name);
    if (entry.isSymbolicLink()) await check(git, path, `the link ${entry.name}`);
    if (entry.isSymbolicLink() || entry.isDirectory()) await checkLinks(git, path, seen);
  }
}

/** `seen`: folders whose objects are taken as well. */
async function checkAlternates(git: GitHere, objects: string, seen: Set<string>): Promise<void> {
  seen.add(objects);
  const alternates = await readFile(join(objects, "info", "alternates"), "utf8").catch(() => "");
  for (const line of alternates.split("\n").filter((text) => text !== "" && !text.startsWith("#"))) {
    const further = resolve(objects, line);
    // Git reads a quoted path as well, and what is written so is not looked at here.
    if (line.startsWith('"')) throw refused("objects/info/alternates");
    await check(git, further, "objects/info/alternates");
    if (seen.has(further)) continue;
    await checkLinks(git, further, new Set());
    await checkAlternates(git, further, seen);
  }
}

async function checkConfig(git: GitHere, gitDir: string): Promise<void> {
  const look = ["config", "--null", "--show-scope", "--show-origin", "--type=path", "--get-regexp"];
  const { stdout, exitCode } = await git.run(["-c", "safe.directory=*", ...look, `^(${naming})$`]);
  // 1 = there are none.
  if (exitCode !== 0 && exitCode !== 1) throw refused("its configuration, which cannot be read");
  const fields = stdout.split("\0");
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope, origin = "", entry = ""] = fields.slice(at);
    if (scope !== "local" && scope !== "worktree") continue;
    const end = entry.indexOf("\n");
    const [key, value] = [entry.slice(0, end), entry.slice(end + 1)];
    if (value === "") continue;
    // Relative to what git of this version takes it for, which need not be the folder that it runs in.
    const isInclude = key.startsWith("include");
    if (!isInclude && key !== "core.worktree" && value.split("/").includes("..")) throw refused(key);
    const file = resolve(git.cwd, origin.replace(/^file:/, ""));
    const from = isInclude ? dirname(file) : key === "core.worktree" ? gitDir : git.cwd;
    await check(git, resolve(from, value), key);
  }
}

/** A missing file cannot be read; a link counts as its target. */
async function check({ root, repository }: GitHere, path: string, what: string): Promise<void> {
  const own = repository ? [repository.gitDir, repository.commonDir, repository.top] : [];
  const real = await realpath(path).catch(() => undefined);
  const named = real ?? ((await lstat(path).catch(() => undefined)) ? undefined : path);
  const isKnown = named !== undefined && [root, "/dev/null", ...own].some((place) => isInside(place, named));
  if (!isKnown) throw refused(what);
}

function refused(what: string): HandrailError {
  return new HandrailError(
    "path_escape",
    `git is led out of the workspace by ${what} in this repository. Take that out.`,
  );
}
