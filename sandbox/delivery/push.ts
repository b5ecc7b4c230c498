// Pushes one commit to one branch of the remote. Git runs in a repository of the server's own, whose configuration is ours:
// of the person's it reads objects alone. The token reaches git's credential helper by a pipe, and is written nowhere.
import { type FileHandle, lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PushFromSandbox } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { ServerContext } from "../context.ts";
import { guarded } from "../exec/guarded.ts";
import { runProcess } from "../exec/run-process.ts";
import { openFile } from "../paths/inside.ts";
import type { Sandbox } from "../sandbox.ts";
import { machineEnvironment, pin } from "../sources/clone.ts";
import { publicAddresses } from "../sources/private-address.ts";
import { gitProgram, quietGit, runGit } from "../workspace/git-process.ts";
import { namesIn } from "../workspace/looked-at.ts";
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
  if (token && (await isOpen(url)))
    throw no("The remote's address is http: the token would go there unencrypted.");
  const own = await mkdtemp(join(sandbox.dir, "push-"));
  const held: FileHandle[] = [];
  try {
    await repositoryIn(own, git, held);
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
    for (const file of held) await file.close();
    await rm(own, { recursive: true, force: true });
  }
  await git.run(["update-ref", `refs/remotes/${remote.name}/${branch}`, commit]);
  return { branch, commit };
}

/** Whether what is sent to `url` could be read on its way through the internet. */
async function isOpen(url: string): Promise<boolean> {
  if (!url.startsWith("http:")) return false;
  const found = await publicAddresses(new URL(url).hostname).catch(() => []);
  return found.length > 0;
}

/** A bare repository at `own` that has the objects of the person's, and nothing else of it. `held`: files that it needs open. */
async function repositoryIn(own: string, { place }: RepositoryGit, held: FileHandle[]): Promise<void> {
  const { commonDir } = place.repository;
  const objects = join(commonDir, "objects");
  await runGit(["init", "--quiet", "--bare", "--template="], { cwd: own, env: { GIT_DIR: own } });
  if (place.jail) await objectsIn(own, objects, held);
  else await writeFile(join(own, "objects/info/alternates"), `${JSON.stringify(objects)}\n`);
  const shallow = join(commonDir, "shallow");
  const found = await lstat(shallow).catch(() => undefined);
  const ids = found?.isFile() && found.size < 1024 * 1024 ? await readFile(shallow, "utf8") : "";
  if (/^([0-9a-f]{40,64}\n)+$/.test(ids)) await writeFile(join(own, "shallow"), ids);
}

/**
 * Each file by itself, where it really is in that folder: git would follow the links and the `alternates` that a command may
 * leave there to the objects of any repository of the machine.
 */
async function objectsIn(own: string, objects: string, held: FileHandle[]): Promise<void> {
  for (const folder of namesIn(objects, "").filter((name) => /^(pack|[0-9a-f]{2})$/.test(name))) {
    await mkdir(join(own, "objects", folder), { recursive: true });
    for (const name of namesIn(objects, folder).filter((each) => /^[\w-]+(\.pack|\.idx)?$/.test(each))) {
      const path = join(folder, name);
      const { handle, stat } = await openFile(objects, path);
      held.push(handle);
      const to = join(own, "objects", path);
      if (stat.size > 1024 * 1024) await symlink(`/proc/${process.pid}/fd/${handle.fd}`, to);
      else {
        await writeFile(to, await handle.readFile());
        await held.pop()?.close();
      }
    }
  }
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
