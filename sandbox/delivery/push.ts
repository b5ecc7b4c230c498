// Pushes one commit to one branch of the remote. Git runs in a repository of the server's own, whose configuration is ours:
// of the person's it reads objects alone. The token reaches git's credential helper by a pipe, and is written nowhere.
import { lstat, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PushFromSandbox } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { ServerContext } from "../context.ts";
import { guarded } from "../exec/guarded.ts";
import { runProcess } from "../exec/run-process.ts";
import type { Sandbox } from "../sandbox.ts";
import { machineEnvironment, pin } from "../sources/clone.ts";
import { gitProgram, quietGit, runGit } from "../workspace/git-process.ts";
import type { RepositoryGit } from "../worktrees/repository-git.ts";
import { checkBranch } from "./commit.ts";
import { commitAt, remoteOf } from "./git-state.ts";

const pushMs = 5 * 60_000;
const no = (message: string) => new HandrailError("invalid_request", message);

/** `token`: USER:TOKEN. Throws `push_refused` with what to do; what was pushed before is pushed no second time. */
export async function push(
  sandbox: Sandbox,
  { branch, url: seen }: PushFromSandbox,
  { git, token, server }: { git: RepositoryGit; token: string | undefined; server: ServerContext },
): Promise<{ branch: string; commit: string }> {
  // A header holds no line end, which the credential helper would take for another field.
  await checkBranch(git, branch);
  const [remote, commit] = await Promise.all([remoteOf(git, branch), commitAt(git, `refs/heads/${branch}`)]);
  if (!remote || commit === "")
    throw no("branch: there is none of that name, or no remote on another machine.");
  const { url } = remote;
  if (seen !== undefined && seen !== url) throw no("The remote is another one by now. Look at it again.");
  const pinned = server.options.privateSources ? [] : await pin(url);
  // All that is pushed is seen to be in sight of the sandbox: an object elsewhere on the machine never leaves by a name.
  await git.run(["rev-list", "--objects", "--quiet", commit, "--not", `--remotes=${remote.name}`, "--"]);
  const own = await mkdtemp(join(sandbox.dir, "push-"));
  try {
    await repositoryIn(own, git);
    const spec = `${commit}:refs/heads/${branch}`;
    const args = [...pinned, "push", "--porcelain", "--recurse-submodules=no", "--", url, spec];
    const outcome = await runPush(own, args, token, sandbox.ending.signal);
    const { exitCode, stdout, stderr } = outcome;
    if (exitCode !== 0) {
      const all = [stderr, stdout].join("\n").replaceAll(token || "\0", "…");
      const said = server.redactor.redact(all).trim().slice(-1_000);
      throw new HandrailError("push_refused", `git said: ${said}`, { details: { said } });
    }
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  await git.run(["update-ref", `refs/remotes/${remote.name}/${branch}`, commit]);
  return { branch, commit };
}

/** A bare repository at `own` that has the objects of the person's, and nothing else of it. */
async function repositoryIn(own: string, { place }: RepositoryGit): Promise<void> {
  const { commonDir } = place.repository;
  await runGit(["init", "--quiet", "--bare", "--template="], { cwd: own, env: { GIT_DIR: own } });
  await writeFile(join(own, "objects/info/alternates"), `${JSON.stringify(join(commonDir, "objects"))}\n`);
  const shallow = join(commonDir, "shallow");
  const found = await lstat(shallow).catch(() => undefined);
  const ids = found?.isFile() && found.size < 1024 * 1024 ? await readFile(shallow, "utf8") : "";
  if (/^([0-9a-f]{40,64}\n)+$/.test(ids)) await writeFile(join(own, "shallow"), ids);
}

/** Asked once, it says who it is and is then empty; what git tells it later it does not hear. */
const helper = `!f() { test "$1" = get && cat <&9; }; f`;

function runPush(own: string, args: readonly string[], token: string | undefined, signal: AbortSignal) {
  const settings = [`credential.helper=${token === undefined ? "" : helper}`, "http.followRedirects=false"];
  const git = [gitProgram() ?? "git", ...quietGit, ...settings.flatMap((pair) => ["-c", pair]), ...args];
  const [file = "sh", ...rest] = guarded(["/bin/sh", "-c", 'exec 9<&0 </dev/null; exec "$@"', "sh", ...git]);
  const [user = "", ...password] = token?.split(":") ?? [];
  return runProcess({
    ...{ file, args: rest, cwd: own, guard: "group", signal, timeoutMs: pushMs, maxOutputBytes: 256 * 1024 },
    env: { ...machineEnvironment(), GIT_DIR: own, GIT_ALLOW_PROTOCOL: "https:http:ssh" },
    input: `username=${user}
password=${password.join(":")}
`,
  });
}
