// The op `git`: the verbs that a person and a model need, run so that git executes nothing that the
// repository configures.
import { basename, relative } from "node:path";
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { CountedFrom, type GitArgs, type GitValue } from "../../shared/git.ts";
import { gitOf } from "../delivery/git-state.ts";
import { uncommitted } from "../delivery/uncommitted.ts";
import { baseEnvironment, machinePath } from "../exec/environment.ts";
import { gitConfigMount } from "../exec/git-config.ts";
import { runProcess } from "../exec/run-process.ts";
import { ownProcess } from "../jail/own-program.ts";
import type { GuardedRun } from "../jail/protected-guard.ts";
import { repositoryMounts } from "../jail/repository-mounts.ts";
import * as limits from "../limits.ts";
import { isFolder, replacedError } from "../paths/inside.ts";
import { relativePath } from "../paths/relative-path.ts";
import { personsEnvironment, personsIdentity } from "../workspace/git-identity.ts";
import { neededGit, quietGit } from "../workspace/git-process.ts";
import { refuseOutsideSettings } from "../workspace/outside-settings.ts";
import { liesAbove, type Repository, repositoryEnvironment } from "../workspace/repository.ts";
import { quietRepository } from "../workspace/repository-config.ts";
import { literal } from "../workspace/snapshot-store.ts";
import { mustBeSteady } from "../worktrees/repository-git.ts";
import { mustBeTrue } from "../worktrees/true-objects.ts";
import type { OpContext } from "./op-context.ts";
import { seeMoves } from "./own-commits.ts";
import { snapshotId, swept } from "./snapshot.ts";

/** Names of revisions. An option such as `--output` never matches. */
const revision = /^[\p{L}\p{N}_@^][^\s\p{C}]{0,250}$/u;
const plain = ["--no-ext-diff", "--no-textconv", "--no-color"];

export async function git(args: GitArgs, context: OpContext): Promise<GitValue> {
  const { sandbox } = context;
  const paths = (args.paths ?? []).map(relativePath);
  if (args.since !== undefined) return since(args, paths, context);
  const file = neededGit();
  const { folder } = sandbox;
  const repository = await folder.repository();
  if (!repository) {
    if (!isFolder(folder.root)) throw replacedError();
    return noRepository;
  }
  // If the repository is larger than the workspace, everything but the history is limited to the workspace.
  const part = liesAbove(repository, folder.root);
  // Two commits are compared from `/` and without an index, so that git finds no `.gitattributes`: a command
  // could declare a text file binary in one.
  const isAway = args.stat === true && args.rev?.includes("..") === true;
  const within = part ? `--relative=${relative(repository.top, folder.root)}/` : undefined;
  const here = part && !isAway && narrows.has(args.verb) ? ["--", "."] : [];
  const command = [
    ...quietGit,
    ...(isAway ? ["-C", "/"] : []),
    ...verbArguments(args, within),
    ...(paths.length > 0 ? ["--", ...paths.map(literal)] : here),
  ];
  const writes = args.verb === "add" || args.verb === "commit";
  const start = (args: readonly string[], env: Record<string, string>, guard?: GuardedRun) =>
    started([file, ...args], env, { writes, guard, repository, context });
  const run = (args: readonly string[]) => runProcess({ ...start(args, {}), ...lookUp });
  if (!context.server.jail)
    await refuseOutsideSettings({ run, cwd: folder.root, root: folder.root, repository });
  await mustShowTrue(args, context);
  const variables = {
    ...(await quietRepository(run)),
    ...(isAway ? { GIT_INDEX_FILE: "/nonexistent/index" } : {}),
    GIT_TERMINAL_PROMPT: "0",
    ...(writes ? await committer(context) : { GIT_OPTIONAL_LOCKS: "0" }),
  };
  if (writes && context.server.jail) mustBeSteady(repository);
  const work = (guard?: GuardedRun) =>
    runProcess({
      ...start(command, variables, guard),
      timeoutMs: limits.execTimeoutMs,
      maxOutputBytes: limits.gitOutputBytes,
      redactor: context.server.redactor,
      signal: context.signal,
    });
  // Git writes through links in its own folder, and a background command may make some meanwhile.
  const outcome = await (writes ? swept(context.server.jail, { folder, mount: folder.root }, work) : work());
  if (outcome.timedOut) throw new HandrailError("timeout", `git ${args.verb} took too long and was ended.`);
  const { stdout, truncated } = outcome;
  const stderr = withoutPlaces(outcome.stderr, [folder.root, ...Object.values(repository)]);
  return { exitCode: outcome.exitCode ?? 128, stdout, stderr, truncated };
}

/**
 * A person decides about a push based on the `stat` of `A...B`, so none of its commits and files may be
 * forged under the id of another object.
 */
async function mustShowTrue({ stat, rev = "" }: GitArgs, { server, sandbox }: OpContext): Promise<void> {
  const [from = "", to] = rev.split(/\.{2,}/);
  if (!stat || !to) return;
  const its = await gitOf(sandbox, server);
  const bases = await its.maybe("merge-base", "--all", from, checkedRevision(to));
  // Without a merge base git itself refuses `A...B`.
  if (bases || !rev.includes("...")) await mustBeTrue(its, ...bases.split("\n"), to);
}

/** Removes paths of this machine from git's messages, which reach the model and the phone. */
function withoutPlaces(text: string, places: readonly string[]): string {
  // Longest first, because most of these paths contain one another.
  const known = [...new Set(places)].sort((a, b) => b.length - a.length);
  return known.reduce((told, place) => told.replaceAll(place, basename(place)), text);
}

const lookUp = { timeoutMs: 10_000, maxOutputBytes: 256 * 1024, keepControls: true };

interface Start {
  writes: boolean;
  /** Protects the folders that git must not write to. */
  guard: GuardedRun | undefined;
  repository: Repository;
  context: OpContext;
}

/**
 * Runs in the jail if there is one, because a repository's configuration is not trusted, however many
 * settings are overridden.
 */
function started(
  [file = "git", ...args]: readonly string[],
  variables: Record<string, string>,
  { writes, guard, repository, context: { server, sandbox } }: Start,
) {
  const { root, outside } = sandbox.folder;
  const env = { ...variables, ...repositoryEnvironment(repository, root) };
  const { jail } = server;
  if (!jail) return { file, args, cwd: root, env: { ...personsEnvironment(), ...env } };
  const { under, mounts = [] } = repositoryMounts(outside, { root, writable: writes, state: jail.state });
  return ownProcess(jail, {
    ...{ program: file, root, writable: writes, script: 'exec "$@"', args: [file, ...args] },
    ...(under ? { under } : {}),
    mounts: [...mounts, ...gitConfigMount(jail.state)],
    ...(guard ? { held: guard.args, heldPlaces: guard.places } : {}),
    env: { ...baseEnvironment("/nonexistent", machinePath()), ...env },
  });
}

async function since(args: GitArgs, paths: string[], { server, sandbox }: OpContext): Promise<GitValue> {
  if (args.verb !== "diff")
    throw new HandrailError("invalid_request", "since: only `diff` compares with a snapshot. Leave it out.");
  if (args.since === "HEAD") {
    const asked = { own: args.whose === "own", paths: args.paths && paths, redactor: server.redactor };
    const found = await uncommitted(sandbox, await gitOf(sandbox, server), asked);
    return { exitCode: 0, stdout: found.patch, stderr: "", truncated: found.truncated };
  }
  const from = await snapshotId(args.since ?? "start", sandbox);
  const { own, record } = sandbox;
  const { whose, stat } = args;
  if (whose === "own") await seeMoves(sandbox);
  const view = whose && { own, whose };
  const value = await sandbox.folder.snapshots.diff(from, { paths, stat, redactor: server.redactor, view });
  if (whose !== "own" || !record.countedFrom) return value;
  const counted = z.parse(CountedFrom, record.countedFrom);
  const branch = counted.branch && server.redactor.redact(counted.branch);
  return { ...value, countedFrom: { ...counted, branch } };
}

/** Verbs that would otherwise cover the whole repository when the workspace is a part of it. */
const narrows = new Set<GitArgs["verb"]>(["status", "diff", "add", "commit"]);

const noRepository: GitValue = {
  exitCode: 128,
  stdout: "",
  stderr:
    "fatal: not a git repository, or one that keeps its files in a folder which does not name this workspace\n",
  truncated: false,
};

/** `within`: an option that limits a difference to the workspace. */
function verbArguments(args: GitArgs, within: string | undefined): string[] {
  const part = within === undefined ? [] : [within];
  const rev = args.rev === undefined ? [] : [checkedRevision(args.rev)];
  const limit = `--max-count=${Math.min(args.limit ?? 30, 1_000)}`;
  switch (args.verb) {
    case "status":
      return [
        "status",
        "--short",
        "--branch",
        "--untracked-files=all",
        "--no-renames",
        "--ignore-submodules=all",
      ];
    case "diff":
      return [
        ...["-c", "core.quotePath=false", "diff", ...plain, ...part],
        ...(args.stat ? ["--numstat", "--no-renames"] : []),
        ...["--ignore-submodules=all", ...rev],
      ];
    case "log": {
      const not = args.unpushed ? ["--remotes"] : args.not?.map(checkedRevision);
      return [
        ...["log", ...plain, "--date=short", `--format=${not ? "%H" : "%h"} %ad %an: %s`, limit],
        ...(rev.length > 0 ? rev : ["HEAD"]),
        // In this order, no parent of the last commit is in the list, whatever dates a command has set.
        ...(not ? ["--topo-order", "--not", ...not] : []),
      ];
    }
    case "show":
      return ["show", ...plain, ...part, "--ignore-submodules=all", ...rev];
    case "branch":
      return ["branch", "--list", "--all", "--verbose", "--no-color"];
    case "add":
      return ["add", "--all"];
    case "commit": {
      if (!args.message?.trim())
        throw new HandrailError("invalid_request", "message: missing; a commit needs one.");
      return ["commit", "--no-verify", "--cleanup=strip", "-m", args.message];
    }
  }
}

function checkedRevision(rev: string): string {
  if (revision.test(rev)) return rev;
  throw new HandrailError("invalid_request", "rev: give a commit, branch or tag, such as HEAD~1 or main.");
}

/** In the jail, git reads the identity from its configuration file. */
async function committer({ server, sandbox }: OpContext): Promise<Record<string, string>> {
  return server.jail ? {} : personsIdentity(sandbox.folder.root);
}
