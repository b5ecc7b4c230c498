// Runs git on one folder of a person's repository, for the commits, pushes and worktrees that the person asks
// for. It runs in the jail if there is one, which shows only that folder and git's own, and starts no program
// that the repository's configuration names.
import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import { baseEnvironment, machinePath } from "../exec/environment.ts";
import { gitConfigMount } from "../exec/git-config.ts";
import { type ProcessOutcome, runProcess } from "../exec/run-process.ts";
import type { Jail } from "../jail/jailed-process.ts";
import { ownProcess } from "../jail/own-program.ts";
import { isSteady } from "../jail/running-holds.ts";
import { isInside } from "../paths/inside.ts";
import { personsEnvironment, personsIdentity } from "../workspace/git-identity.ts";
import { neededGit, quietGit } from "../workspace/git-process.ts";
import { namesIn } from "../workspace/looked-at.ts";
import { refuseOutsideSettings } from "../workspace/outside-settings.ts";
import { type Repository, repositoryEnvironment } from "../workspace/repository.ts";
import { quietRepository } from "../workspace/repository-config.ts";

export interface RepositoryPlace {
  /** Real path of the folder in which git may write files. */
  root: string;
  repository: Repository;
  jail: Jail | undefined;
  /** A folder of the server's own that git may read too. */
  beside?: string;
}

const whole = { timeoutMs: 5 * 60_000, maxOutputBytes: 16 * 1024 * 1024, keepControls: true };

export class RepositoryGit {
  readonly place: RepositoryPlace;
  readonly #file: string;
  #variables: Promise<Record<string, string>> | undefined;

  constructor(place: RepositoryPlace) {
    this.place = place;
    this.#file = neededGit();
  }

  /** Returns git's output. Throws HandrailError with git's message if its exit code is not in `accept`. */
  async run(
    args: readonly string[],
    accept: readonly number[] = [0],
    more: Record<string, string> = {},
    input?: string,
  ): Promise<ProcessOutcome> {
    this.#variables ??= this.#quiet();
    const variables = { ...(await this.#variables), ...more };
    const outcome = await this.#start([...quietGit, ...settings, ...args], variables, input);
    if (outcome.exitCode !== null && accept.includes(outcome.exitCode)) return outcome;
    const { root, repository } = this.place;
    const complaint = [root, repository.gitDir, repository.commonDir]
      .reduce((text, path) => text.replaceAll(path, "the repository"), outcome.stderr || outcome.stdout)
      .trim()
      .slice(-600);
    throw new HandrailError(
      "invalid_request",
      `git ${args[0] ?? ""} did not work here. git said: ${complaint}`,
    );
  }

  /** The output of a command without the final newline. */
  async line(...args: string[]): Promise<string> {
    return (await this.run(args)).stdout.trimEnd();
  }

  /** Like `line`, but "" if git's exit code says no or that it failed. */
  async maybe(...args: string[]): Promise<string> {
    const { exitCode, stdout } = await this.run(args, [0, 1, 128, 129]);
    return exitCode === 0 ? stdout.trimEnd() : "";
  }

  /** The branch that HEAD is on; "" = none. */
  branch(): Promise<string> {
    return this.maybe("symbolic-ref", "--short", "--quiet", "HEAD");
  }

  /** The full id of a commit; "" if there is none. */
  commit(name = "HEAD"): Promise<string> {
    return this.maybe("rev-parse", "--verify", "--quiet", `${name}^{commit}`);
  }

  /** The NUL-separated names that a command prints. */
  async names(...args: string[]): Promise<string[]> {
    return (await this.run(args)).stdout.split("\0").filter(Boolean);
  }

  async #quiet(): Promise<Record<string, string>> {
    const { root, repository, jail } = this.place;
    const run = (args: readonly string[]) => this.#start(args, {});
    if (!jail) await refuseOutsideSettings({ run, cwd: root, root, repository });
    return {
      ...(await quietRepository(run)),
      GIT_TERMINAL_PROMPT: "0",
      ...(jail ? {} : await personsIdentity(root)),
    };
  }

  #start(
    args: readonly string[],
    variables: Record<string, string>,
    input?: string,
  ): Promise<ProcessOutcome> {
    const { root, repository, jail, beside } = this.place;
    const { GIT_INDEX_FILE: index } = variables;
    const env = { ...variables, ...repositoryEnvironment(repository, root) };
    const how = { ...whole, ...(input === undefined ? {} : { input }) };
    if (!jail)
      return runProcess({
        ...{ file: this.#file, args: [...args], cwd: root, env: { ...personsEnvironment(), ...env } },
        ...how,
      });
    const { commonDir } = repository;
    mustBeSteady(repository);
    const under = [
      ...(isInside(root, commonDir) ? [] : [{ source: commonDir, at: commonDir, writable: true }]),
      ...(beside ? [{ source: beside, at: beside, writable: false }] : []),
      ...(index ? [{ source: dirname(index), at: dirname(index), writable: true }] : []),
    ];
    const spec = ownProcess(jail, {
      ...{ program: this.#file, root, writable: true, finishes: true, under },
      ...{ script: 'exec "$@"', args: [this.#file, ...args], mounts: gitConfigMount(jail.state) },
      // Git writes through links in its own folder, and a background command may make some meanwhile.
      over: settingsOf(repository).map((path) => ({ source: path, at: path, writable: false })),
      env: { ...baseEnvironment("/nonexistent", machinePath()), ...env },
    });
    return runProcess({ ...spec, ...how });
  }
}

/**
 * Existing files and folders that our own git never writes to: settings, and in a worktree the parts that
 * belong to other folders too.
 */
function settingsOf({ commonDir, gitDir }: Repository): string[] {
  const within = (folder: string, names: readonly string[]) => names.map((name) => join(folder, name));
  const worktrees = join(commonDir, "worktrees");
  const others = gitDir === commonDir ? [] : within(worktrees, namesIn(worktrees, ""));
  return [
    ...within(commonDir, ["config", "config.worktree", "hooks", "info", "branches", "remotes", "modules"]),
    ...others.filter((path) => path !== gitDir),
    ...(gitDir === commonDir ? [] : within(gitDir, ["commondir", "gitdir", "config.worktree"])),
  ].filter(
    (path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false && isSteady(path),
  );
}

/**
 * Throws `forbidden` if a running command could replace git's settings, or the folder of linked worktrees that git is
 * about to write in: git writes through links in its own folder.
 */
export function mustBeSteady({ commonDir, gitDir }: Repository): void {
  const written = gitDir === commonDir ? ["config"] : ["config", "worktrees"];
  if (written.every((name) => isSteady(join(commonDir, name)))) return;
  throw new HandrailError(
    "forbidden",
    "A command that runs in the background began before this repository, or its settings, were made, and could change them meanwhile. End that command first.",
  );
}

/**
 * Overrides settings that a repository has or that a command may have written. Files are not reported if only
 * their times have changed.
 */
const settings = [
  "core.commitGraph=false",
  ...["merge.autoStash=false", "merge.conflictStyle=merge"],
  ...["core.quotePath=false", "diff.autoRefreshIndex=true", "core.logAllRefUpdates=true"],
].flatMap((pair) => ["-c", pair]);
