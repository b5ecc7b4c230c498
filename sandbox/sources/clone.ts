// Clones a repository into a new workspace: shallow, without submodules, and with credentials for the fetch
// alone.
import { HandrailError } from "../../shared/errors.ts";
import type { CloneProgress } from "../../shared/sandbox.ts";
import { runProcess } from "../exec/run-process.ts";
import type { Jail } from "../jail/jailed-process.ts";
import { ownProcess } from "../jail/own-program.ts";
import type { DiskQuota } from "../workspace/disk-quota.ts";
import { bareGitEnvironment, neededGit, quietGit } from "../workspace/git-process.ts";
import { addressOf } from "./git-address.ts";
import { publicAddresses } from "./private-address.ts";
import { withToken } from "./with-token.ts";

const cloneMs = 15 * 60_000;
/** A large repository reports its progress in many small steps, and all of them are read. */
const progressBytes = 4 * 1024 * 1024;

export interface CloneOptions {
  /** Files of the clone are written in the jail, if there is one. */
  jail: Jail | undefined;
  signal: AbortSignal;
  /**
   * false = only https and ssh, and no address of this machine or its network, because anyone may be asking.
   */
  privateSources: boolean;
  progress(progress: CloneProgress): void;
  /** Everything that the clone writes counts, from the first byte. */
  quota: DiskQuota;
}

/**
 * Throws HandrailError with git's message. `ref`: a branch, a tag or a full commit id. Ends with this server.
 */
export async function cloneInto(
  root: string,
  source: { git: string; ref?: string | undefined },
  options: CloneOptions,
): Promise<void> {
  const { ref } = source;
  const address = addressOf(source.git);
  if (ref !== undefined && !/^[A-Za-z0-9_][A-Za-z0-9_./+-]{0,200}$/.test(ref)) {
    throw new HandrailError("invalid_request", "source.ref: give a branch, a tag or a commit id.");
  }
  const pinned = options.privateSources ? [] : await pin(address.url);
  const git = (args: string[], token?: string) => runClone(root, [...pinned, ...args], token, options);
  await git(["init", "--quiet", "--template=", "--initial-branch=main"]);
  await git(["remote", "add", "origin", address.url]);
  const what = ref ?? "HEAD";
  await git(
    ["fetch", "--progress", "--depth=1", "--no-tags", "--no-recurse-submodules", "origin", what],
    address.token,
  );
  const said =
    ref === undefined
      ? await git(["ls-remote", "--symref", "origin", "HEAD"], address.token).catch(() => "")
      : "";
  const branch = ref === undefined ? (/^ref: refs\/heads\/(\S+)\tHEAD/m.exec(said)?.[1] ?? "main") : ref;
  const name = /^[0-9a-f]{40}$/.test(branch) ? "main" : branch;
  // Fetching writes no files of the repository; checking out does.
  const checkout = ["checkout", "--progress", "--no-recurse-submodules", "-B", name, "FETCH_HEAD"];
  await runClone(root, checkout, undefined, options, options.jail);
  // Fetching one name makes no remote-tracking branch, which is needed to tell what is ahead of it.
  const copy = `refs/remotes/origin/${branch}`;
  await git(["update-ref", copy, "FETCH_HEAD^0"]);
  if (ref === undefined) await git(["symbolic-ref", "refs/remotes/origin/HEAD", copy]);
  await options.quota.mustHold();
}

/**
 * Settings that limit git to the addresses that were checked, so that neither a later answer for the name nor
 * a redirect leads elsewhere. For ssh the name is checked, but ssh itself resolves it again.
 */
export async function pin(url: string): Promise<string[]> {
  const web = URL.canParse(url) ? new URL(url) : undefined;
  if (web && !["https:", "ssh:"].includes(web.protocol)) {
    throw new HandrailError("invalid_request", "source.git: give an https or ssh URL of a repository.");
  }
  const host = web?.hostname ?? /@([^:]+):/.exec(url)?.[1] ?? "";
  const addresses = await publicAddresses(host);
  if (web?.protocol !== "https:") return [];
  const resolved = `${host.replace(/^\[|\]$/g, "")}:${web.port || "443"}:${addresses.join(",")}`;
  return ["-c", "http.followRedirects=false", "-c", `http.curloptResolve=${resolved}`];
}

async function runClone(
  root: string,
  args: string[],
  token: string | undefined,
  { signal, progress, quota }: CloneOptions,
  jail?: Jail,
): Promise<string> {
  const first = [neededGit(), ...quietGit, "-c", "advice.detachedHead=false"];
  const outcome = await runProcess({
    ...(jail ? inJail(jail, root, [...first, ...args]) : { ...withToken(first, args, token), cwd: root }),
    timeoutMs: cloneMs,
    maxOutputBytes: progressBytes,
    signal,
    disk: (pids) => quota.watcher(pids),
    onOutput: (stream, _offset, text) => {
      const step = stream === "stderr" ? progressIn(text) : undefined;
      if (step) progress(step);
    },
  });
  if (outcome.exitCode === 0) return outcome.stdout;
  if (outcome.excess === "disk") throw quota.refusal();
  if (signal.aborted) throw new HandrailError("stopped", "source.git: cloning was stopped.");
  if (outcome.timedOut)
    throw new HandrailError("timeout", "source.git: cloning took longer than 15 minutes and was ended.");
  throw new HandrailError(
    "invalid_request",
    `source.git: the repository could not be fetched. git said: ${complaint(outcome.stderr, root)}`,
  );
}

function inJail(jail: Jail, root: string, command: readonly string[]) {
  const [program = "git"] = command;
  const run = { program, root, writable: true, script: 'exec "$@"', args: command };
  return ownProcess(jail, { ...run, env: bareGitEnvironment() });
}

/** The last step in `text`, in git's words: `Receiving objects:  42% (42/100)`. */
export function progressIn(text: string): CloneProgress | undefined {
  const steps = [...text.matchAll(/(?:^|[\r\n])(?:remote: )?([A-Z][a-z]+(?: [a-z]+)*): +(\d{1,3})%/g)];
  const [, stage, percent] = steps.at(-1) ?? [];
  return stage === undefined ? undefined : { stage, percent: Number(percent) };
}

/** Git's complaint, without its progress and without paths of this machine. */
function complaint(stderr: string, root: string): string {
  const lines = stderr.split(/[\r\n]+/).filter((line) => line !== "" && !/: +\d{1,3}% /.test(line));
  return lines.join("\n").replaceAll(root, "the workspace").slice(-600);
}
