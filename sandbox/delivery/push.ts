// Pushes one commit to one branch of the remote, or fetches the remote's version of the branch. Git runs in a
// repository of the server's own with our configuration, and reads only the objects of the person's
// repository.
import { type FileHandle, lstat, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PushFromSandbox, PushLook } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { ServerContext } from "../context.ts";
import { runProcess } from "../exec/run-process.ts";
import { openFile } from "../paths/inside.ts";
import type { Sandbox } from "../sandbox.ts";
import { pin } from "../sources/clone.ts";
import { publicAddresses } from "../sources/private-address.ts";
import { withToken } from "../sources/with-token.ts";
import { neededGit, quietGit, runGit } from "../workspace/git-process.ts";
import { namesIn } from "../workspace/looked-at.ts";
import { movedOn } from "../workspace/revert-file.ts";
import { RepositoryGit } from "../worktrees/repository-git.ts";
import { checkBranch } from "./commit.ts";
import { markedBy, markOf, remoteOf } from "./git-state.ts";

const pushMs = 5 * 60_000;
/** A person waits for this list. */
const lookMs = 20_000;
/** Ids of a million commits. */
const listBytes = 64 * 1024 * 1024;
const no = (message: string) => new HandrailError("invalid_request", message);

/** Keeps git from running anything in the person's repository to list its references. */
const settings = ["http.followRedirects=false", "core.alternateRefsCommand=true"].flatMap((pair) => [
  "-c",
  pair,
]);

/**
 * `token`: USER:TOKEN. Throws `push_refused` with git's message. The key is stored in the reflog of the
 * remote-tracking branch, so that a push is never repeated under its key, even if the server dies. Run only
 * one push at a time in a repository.
 */
export async function push(
  sandbox: Sandbox,
  { key, branch, url: seen, commit: wanted, fetch, look, shown, more = 0 }: PushFromSandbox,
  { git, token, server }: { git: RepositoryGit; token: string | undefined; server: ServerContext },
): Promise<PushLook | { branch: string; commit: string }> {
  // The token is not checked for line breaks, which would start another field for the credential helper: it
  // comes from a header, which cannot contain one.
  await checkBranch(git, branch);
  const [remote, commit] = await Promise.all([remoteOf(git, branch), git.commit(`refs/heads/${branch}`)]);
  if (!remote || (commit === "" && !fetch))
    throw no("branch: there is none of that name, or no remote on another machine.");
  const { url, name } = remote;
  const copy = `refs/remotes/${name}/${branch}`;
  const done = await markedBy(git, key, copy);
  if (done !== "") return { branch, commit: done };
  if (seen !== undefined && seen !== url) throw no("The remote is another one by now. Look at it again.");
  if (wanted !== undefined && wanted !== commit) throw movedOn(branch);
  const pinned = server.options.privateSources ? [] : await pin(url);
  if (token && (await isOpen(url)))
    throw no("The remote's address is http: the token would go there unencrypted.");
  const own = join(sandbox.dir, "push");
  // A server that died may have left this folder.
  await rm(own, { recursive: true, force: true });
  await mkdir(own);
  const gone = await sandbox.quota.include(own);
  const held: FileHandle[] = [];
  try {
    await repositoryIn(own, git, held);
    const ask = (...args: string[]) =>
      atRemote(own, [...pinned, ...args], { token, sandbox, server, timeoutMs: look ? lookMs : pushMs });
    if (look || shown) {
      const sent = await wouldSend(own, commit, (...args) => ask(...args, "--", url));
      if (look)
        return { ...{ branch, commit, has: sent.has }, ahead: sent.ids.length, ids: sent.ids.slice(0, 200) };
      if (sent.ids.filter((id) => !shown?.includes(id)).length > more)
        throw new HandrailError(
          "stale_file",
          "The remote lacks commits that were not listed. Nothing was pushed; look at it again.",
        );
    }
    const args = fetch
      ? ["fetch", "--no-tags", "--no-recurse-submodules", "--", url, `+refs/heads/${branch}:refs/got/it`]
      : ["push", "--porcelain", "--recurse-submodules=no", "--", url, `${commit}:refs/heads/${branch}`];
    // Commits that exist locally are not fetched again.
    const head = fetch ? await git.commit() : "";
    if (head) await runGit(["update-ref", "refs/heads/have", head], { cwd: own, env: { GIT_DIR: own } });
    await ask(...args);
    if (fetch) {
      // A fast fetch may end before the first look at the disk.
      await sandbox.quota.mustHold();
      // The objects are read in the jail, where the path leads only to the sandbox's own ones.
      await objectsOf(own, git);
      const into = new RepositoryGit({ ...git.place, beside: own });
      await into.run(
        ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", own, `+refs/got/it:${copy}`],
        [0],
        { GIT_ALLOW_PROTOCOL: "file" },
      );
      return { branch, commit: await git.commit(copy) };
    }
  } finally {
    for (const file of held) await file.close();
    await rm(own, { recursive: true, force: true });
    gone();
  }
  await git.run(["update-ref", "--create-reflog", "-m", `push ${markOf(key)}`, copy, commit]);
  return { branch, commit };
}

/**
 * Ids of the commits that the remote lacks, and of their nearest ancestors that it has. The remote itself is
 * asked, because a command may have written the repository's own record of it (`refs/remotes`).
 */
async function wouldSend(own: string, commit: string, ask: (...args: string[]) => Promise<string>) {
  // A remote that does not support this question, or has none of the commits, lists its branches instead. If
  // these have moved on, more commits are listed than would be sent.
  const said = await ask("fetch", "--negotiate-only", `--negotiation-tip=${commit}`).catch((error: Error) => {
    if (!/negotiat|wait-for-done|acknowledgments/.test(error.message)) throw error;
    return ask("ls-remote");
  });
  const known = said.match(/^[0-9a-f]{40,}/gm) ?? [];
  const { stdout } = await runGit(["rev-list", "--boundary", "--ignore-missing", "--stdin"], {
    ...{ cwd: own, env: { GIT_DIR: own }, maxOutputBytes: listBytes },
    input: [commit, ...known.map((id) => `^${id}`), ""].join("\n"),
  });
  const ids = stdout.trim().split("\n");
  return {
    ids: ids.filter((id) => /^\w/.test(id)),
    has: ids.flatMap((id) => (id.startsWith("-") ? [id.slice(1)] : [])),
  };
}

/**
 * Git's output. Throws `push_refused` with git's message, and `too_large` if it brings more than the
 * sandbox's quota allows.
 */
async function atRemote(
  own: string,
  args: readonly string[],
  how: { token: string | undefined; sandbox: Sandbox; server: ServerContext; timeoutMs: number },
): Promise<string> {
  const { token, sandbox, server, timeoutMs } = how;
  const started = withToken([neededGit(), ...quietGit, ...settings], args, token);
  const { exitCode, excess, stdout, stderr } = await runProcess({
    ...{ ...started, cwd: own, env: { ...started.env, GIT_DIR: own, GIT_ALLOW_PROTOCOL: "https:http:ssh" } },
    ...{ signal: sandbox.ending.signal, timeoutMs, maxOutputBytes: 256 * 1024 },
    disk: (pids) => sandbox.quota.watcher(pids),
  });
  if (exitCode === 0) return stdout;
  if (excess === "disk") throw sandbox.quota.refusal();
  const all = [stderr, stdout].join("\n").replaceAll(token?.replace(/^[^:]*:/, "") || "\0", "…");
  const said = server.redactor.redact(all).trim().slice(-1_000);
  throw new HandrailError("push_refused", `git said: ${said}`, { details: { said } });
}

/** Whether the traffic to `url` could be read on its way through the internet. */
async function isOpen(url: string): Promise<boolean> {
  if (!url.startsWith("http:")) return false;
  const found = await publicAddresses(new URL(url).hostname).catch(() => []);
  return found.length > 0;
}

/**
 * Makes a bare repository at `own` with the objects of the person's repository and nothing else of it.
 * `held`: files that must stay open for it.
 */
async function repositoryIn(
  own: string,
  { place }: Pick<RepositoryGit, "place">,
  held: FileHandle[],
): Promise<void> {
  const { commonDir } = place.repository;
  await runGit(["init", "--quiet", "--bare", "--template="], { cwd: own, env: { GIT_DIR: own } });
  if (place.jail) await objectsIn(own, join(commonDir, "objects"), held);
  else await objectsOf(own, { place });
  const shallow = join(commonDir, "shallow");
  const found = await lstat(shallow).catch(() => undefined);
  const ids = found?.isFile() && found.size < 1024 * 1024 ? await readFile(shallow, "utf8") : "";
  if (/^([0-9a-f]{40,64}\n)+$/.test(ids)) await writeFile(join(own, "shallow"), ids);
}

function objectsOf(own: string, { place }: Pick<RepositoryGit, "place">): Promise<void> {
  const path = join(place.repository.commonDir, "objects");
  return writeFile(join(own, "objects/info/alternates"), `${JSON.stringify(path)}\n`);
}

/**
 * Opens each object file and checks that it really is in that folder. Git itself would follow links and
 * `alternates` that a command may have left there, into any repository of this machine.
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
