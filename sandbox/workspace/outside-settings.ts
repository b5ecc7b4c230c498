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
    for (const folder of [place, join(place, "info")])
      for (const name of await linksIn(folder)) await check(git, join(folder, name), `the link ${name}`);
  }
  const objects = join(commonDir, "objects");
  const alternates = await readFile(join(objects, "info", "alternates"), "utf8").catch(() => "");
  for (const line of alternates.split("\n").filter((text) => text !== "" && !text.startsWith("#")))
    await check(git, resolve(objects, line), "objects/info/alternates");
  await checkConfig(git, gitDir);
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

/** Links in a git folder. Hooks are not run here, wherever they are. */
async function linksIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isSymbolicLink() && entry.name !== "hooks").map(({ name }) => name);
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
