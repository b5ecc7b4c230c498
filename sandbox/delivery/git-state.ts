// The state of a sandbox's repository: its branch, the commits that a remote does not have, and which remote
// that is.
import type { GitInSandbox } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { ServerContext } from "../context.ts";
import type { Sandbox } from "../sandbox.ts";
import { addressOf } from "../sources/git-address.ts";
import { RepositoryGit } from "../worktrees/repository-git.ts";

export interface Remote {
  /** A remote's name in the configuration, such as `origin`. */
  name: string;
  /** Without credentials. */
  url: string;
}

/** Git for the repository of a sandbox. Throws `unsupported` if it has none. */
export async function gitOf({ folder }: Sandbox, { jail }: ServerContext): Promise<RepositoryGit> {
  const repository = await folder.repository();
  if (!repository) throw new HandrailError("unsupported", "This workspace has no git repository.");
  return new RepositoryGit({ root: folder.root, repository, jail });
}

/** The mark with which a request's key is found again in a reflog. */
export function markOf(key: string): string {
  return `(handrail ${key})`;
}

/** The commit to which `ref` was moved under that key; "" if it was not. */
export function markedBy(git: RepositoryGit, key: string, ref: string): Promise<string> {
  return git.maybe("log", "-g", "-1", "-F", "--format=%H", `--grep-reflog=${markOf(key)}`, ref, "--");
}

/** The state as clients see it: branch names that look like a secret are redacted. */
export async function shownState(git: RepositoryGit, { redactor }: ServerContext): Promise<GitInSandbox> {
  const { branch, upstream, defaultBranch, ...state } = await gitState(git);
  const shown = (name: string | null) => name && redactor.redact(name);
  return {
    ...{ ...state, branch: shown(branch), upstream: shown(upstream) },
    defaultBranch: shown(defaultBranch),
  };
}

/**
 * The branch that a client calls `name`. The client may know the current branch only by its redacted name.
 */
export async function meantBranch(
  git: RepositoryGit,
  name: string,
  { redactor }: ServerContext,
): Promise<string> {
  const on = await git.branch();
  return redactor.redact(on) === name ? on : name;
}

async function gitState(git: RepositoryGit): Promise<GitInSandbox> {
  const status = [
    "status",
    "--porcelain",
    "--ignore-submodules=dirty",
    "--untracked-files=normal",
    "--",
    ".",
  ];
  const [branch, head, changed] = await Promise.all([git.branch(), git.commit(), git.run(status)]);
  const remote = await remoteOf(git, branch);
  const name = remote ? `${remote.name}/${branch}` : "";
  const followed = remote && branch !== "" && (await git.commit(`refs/remotes/${name}`)) !== "";
  const compared = followed
    ? ["--left-right", `HEAD...refs/remotes/${name}`]
    : ["HEAD", "--not", "--remotes"];
  const told = await git.maybe(
    "symbolic-ref",
    "--quiet",
    "--short",
    `refs/remotes/${remote?.name ?? "origin"}/HEAD`,
  );
  const [ahead = 0, behind = 0] =
    head === "" ? [] : (await git.line("rev-list", "--count", ...compared, "--")).split("\t").map(Number);
  return {
    ...{ branch: branch || null, head: head || null, upstream: followed ? name : null, ahead, behind },
    defaultBranch: told.replace(/^[^/]+\//, "") || null,
    clean: changed.stdout === "",
    remote: remote?.url ?? null,
  };
}

/** The remote that `branch` follows, otherwise `origin`; undefined if neither is on another machine. */
export async function remoteOf(git: RepositoryGit, branch: string): Promise<Remote | undefined> {
  const follows = branch && (await git.maybe("config", "--get", `branch.${branch}.remote`));
  for (const name of [follows, "origin"]) {
    const url = name && addressIn(await git.maybe("config", "--get", `remote.${name}.url`));
    if (url) return { name, url };
  }
  return undefined;
}

/** undefined unless the text is the address of another machine. A path is not one. */
function addressIn(text: string): string | undefined {
  try {
    const { url } = addressOf(text);
    return url.startsWith("file:") ? undefined : url;
  } catch {
    return undefined;
  }
}
