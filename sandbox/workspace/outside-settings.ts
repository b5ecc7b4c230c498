// Without a jail, refuses git in a repository whose settings lead it to files outside of the workspace,
// because git would print parts of them. A command can write such settings, and plan mode shows git's output.
import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import type { ProcessOutcome } from "../exec/run-process.ts";
import { isInside } from "../paths/inside.ts";
import type { Repository } from "./repository.ts";

/** All settings of git 2.39 that name a file that git reads: https://git-scm.com/docs/git-config */
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
  /** Runs git in the command's folder with the command's variables. */
  run(args: readonly string[]): Promise<ProcessOutcome>;
  /** The folder that the command runs in. */
  cwd: string;
  /** Real path of the workspace. */
  root: string;
  /** The repository that the server knows. */
  repository: Repository | undefined;
}

/** Throws `path_escape` and names the setting. Settings of the person and the machine are trusted. */
export async function refuseOutsideSettings(git: GitHere): Promise<void> {
  const found = await git.run([
    "-c",
    "safe.directory=*",
    "rev-parse",
    "--absolute-git-dir",
    "--git-common-dir",
  ]);
  // Without a repository, there are no settings to check.
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

/**
 * Not checked in a git folder: hooks are not run here, wherever they are, and git does not look into
 * submodules.
 */
const notRead = ["hooks", "modules"];

/**
 * Git follows links at any depth: one in place of an objects folder would show another repository's objects.
 * `seen`: real paths of the folders that were checked. `besides`: names in this folder that are not checked.
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

/** `seen`: objects folders that have been checked. */
async function checkAlternates(git: GitHere, objects: string, seen: Set<string>): Promise<void> {
  seen.add(objects);
  const alternates = await readFile(join(objects, "info", "alternates"), "utf8").catch(() => "");
  for (const line of alternates.split("\n").filter((text) => text !== "" && !text.startsWith("#"))) {
    const further = resolve(objects, line);
    // Git also accepts quoted paths. They are refused, because they are not parsed here.
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
  // 1 = the configuration has none of these settings.
  if (exitCode !== 0 && exitCode !== 1) throw refused("its configuration, which cannot be read");
  const fields = stdout.split("\0");
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope, origin = "", entry = ""] = fields.slice(at);
    if (scope !== "local" && scope !== "worktree") continue;
    const end = entry.indexOf("\n");
    const [key, value] = [entry.slice(0, end), entry.slice(end + 1)];
    if (value === "") continue;
    // The folder that a relative value starts from depends on git's version and need not be the one that git
    // runs in.
    const isInclude = key.startsWith("include");
    if (!isInclude && key !== "core.worktree" && value.split("/").includes("..")) throw refused(key);
    const file = resolve(git.cwd, origin.replace(/^file:/, ""));
    const from = isInclude ? dirname(file) : key === "core.worktree" ? gitDir : git.cwd;
    await check(git, resolve(from, value), key);
  }
}

/** A missing file cannot be read and counts by its path; a link counts by its target. */
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
