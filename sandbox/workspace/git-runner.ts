// Runs the server's own git on one workspace, in the jail if there is one. Several commands share one jail,
// because starting a jail costs more than a git command. Without a jail, git runs directly on the machine.
import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import { HandrailError } from "../../shared/errors.ts";
import type { Redactor } from "../../shared/redact/redactor.ts";
import { runProcess } from "../exec/run-process.ts";
import { spawnStreaming } from "../exec/spawn-streaming.ts";
import type { Jail } from "../jail/jailed-process.ts";
import { ownProcess } from "../jail/own-program.ts";
import { repositoryMounts } from "../jail/repository-mounts.ts";
import type { DiskQuota } from "./disk-quota.ts";
import {
  bareGitEnvironment,
  gitFailure,
  mustHaveHadRoom,
  neededGit,
  quietGit,
  runGit,
} from "./git-process.ts";
import type { Repository } from "./repository.ts";

export interface GitStep {
  args: readonly string[];
  env: Record<string, string>;
  /** Text for its stdin. At most one step of a run may have it. */
  input?: string | undefined;
  /** Exit codes that do not count as failures; [0] by default. */
  accept?: readonly number[];
}

export interface GitOptions {
  /** Whether git may change the workspace. */
  writable?: boolean;
  maxOutputBytes?: number;
  timeoutMs?: number;
  /** Removes secrets from git's output. Only for runs of one step. */
  redactor?: Redactor | undefined;
  /** Ends git early. The run then fails. */
  signal?: AbortSignal;
  /**
   * Without a jail: ends git when this server is killed. Do not set it for work that should finish. In a
   * jail, `writable` decides this.
   */
  guard?: boolean;
  /** In a jail: the run ends and fails with `too_large` when the sandbox exceeds its quota. */
  quota?: DiskQuota;
}

export interface GitOutcome {
  exitCode: number;
  stdout: string;
  truncated: boolean;
}

export interface GitPlace {
  /** Real path of the workspace. */
  root: string;
  /** A folder of the server's own that git writes to. */
  store?: string;
  jail: Jail | undefined;
  /** The repository outside of the workspace that it belongs to, according to the server's own records. */
  outside?(): Repository | undefined;
}

/** In the jail, every folder has the same path as outside. */
export class GitRunner {
  readonly #place: GitPlace;

  constructor(place: GitPlace) {
    this.#place = place;
  }

  /** Runs one command. Throws `internal` or `unsupported` if it fails. */
  async one(step: GitStep, options: GitOptions = {}): Promise<GitOutcome> {
    const { jail, root } = this.#place;
    if (jail) return this.#jailed(jail, step, options);
    const { writable: _, redactor, ...limits } = options;
    const { exitCode, stdout, truncated } = await runGit(step.args, {
      ...{ ...limits, cwd: root, env: step.env, accept: accepted(step) },
      ...(redactor ? { redactor } : {}),
      ...(step.input === undefined ? {} : { input: step.input }),
    });
    return { exitCode: exitCode ?? 128, stdout, truncated };
  }

  /**
   * Runs the steps in order up to the first that fails, which throws like `one`. One output limit applies to
   * all of them together.
   */
  async all(steps: readonly GitStep[], options: GitOptions = {}): Promise<GitOutcome[]> {
    const { jail } = this.#place;
    if (jail) return this.#together(jail, steps, options);
    const outcomes: GitOutcome[] = [];
    for (const step of steps) outcomes.push(await this.one(step, options));
    return outcomes;
  }

  /** The output of git as a stream, which fails when git does. Closing the stream ends git. */
  stream({ args, env }: GitStep): Readable {
    const { jail, root } = this.#place;
    const program = neededGit();
    const command = [...quietGit, ...args];
    const started = jail
      ? this.#start(jail, `exec "$@"`, [program, ...command], env, false)
      : { file: program, args: command, cwd: root, env: { ...bareGitEnvironment(), ...env } };
    const child = spawnStreaming(started);
    child.stderr.resume();
    child.once("error", (error) => child.stdout.destroy(error));
    child.once("exit", (code) => {
      if (code !== 0) child.stdout.destroy(new Error(`git ended with ${code}`));
    });
    child.stdout.once("close", () => child.kill());
    return child.stdout;
  }

  async #jailed(jail: Jail, step: GitStep, options: GitOptions): Promise<GitOutcome> {
    const args = [neededGit(), ...quietGit, ...step.args];
    const started = this.#start(jail, `exec "$@"`, args, step.env, options.writable ?? false);
    const outcome = await this.#run(started, step.input, options);
    const { exitCode, stdout, truncated } = outcome;
    if (exitCode === null || !accepted(step).includes(exitCode)) throw gitFailure(step.args, outcome.stderr);
    return { exitCode, stdout, truncated };
  }

  async #together(jail: Jail, steps: readonly GitStep[], options: GitOptions): Promise<GitOutcome[]> {
    // The mark is random, so that only a reader of this run's arguments could print it.
    const mark = randomBytes(16).toString("hex");
    const values: string[] = [];
    const value = (text: string) => `"\${${values.push(text)}}"`;
    const quiet = [neededGit(), ...quietGit].map(value).join(" ");
    const lines = steps.map((step) => {
      const env = Object.entries(step.env).map(([name, text]) => `${name}=${value(text)}`);
      const from = step.input === undefined ? "< /dev/null" : "";
      const run = `${env.join(" ")} ${quiet} ${step.args.map(value).join(" ")} ${from}`;
      return `${run}; c=$?; printf '%s' ${mark}"$c"${mark}; case $c in ${accepted(step).join("|")}) ;; *) exit $c ;; esac`;
    });
    const input = steps.find((step) => step.input !== undefined)?.input;
    const started = this.#start(jail, lines.join("\n"), values, {}, options.writable ?? false);
    const { stdout, stderr, truncated } = await this.#run(started, input, options);
    if (truncated) throw new HandrailError("too_large", "The workspace has too many files for a snapshot.");
    const parts = stdout.split(mark);
    return steps.map((step, index) => {
      const exitCode = Number(parts[index * 2 + 1] ?? Number.NaN);
      if (!accepted(step).includes(exitCode)) throw gitFailure(step.args, stderr);
      return { exitCode, stdout: parts[index * 2] ?? "", truncated: false };
    });
  }

  async #run(started: ReturnType<typeof ownProcess>, input: string | undefined, options: GitOptions) {
    const { timeoutMs = 120_000, maxOutputBytes = 1024 * 1024, redactor, signal, quota } = options;
    const outcome = await runProcess({
      ...{ ...started, timeoutMs, maxOutputBytes, keepControls: true },
      ...(redactor ? { redactor } : {}),
      ...(signal ? { signal } : {}),
      ...(input === undefined ? {} : { input }),
      ...(quota ? { disk: (pids: () => readonly number[]) => quota.watcher(pids) } : {}),
    });
    if (quota && outcome.excess === "disk") throw quota.refusal();
    mustHaveHadRoom(outcome.stderr);
    return outcome;
  }

  #start(jail: Jail, script: string, args: string[], env: Record<string, string>, writable: boolean) {
    const { root, store, outside } = this.#place;
    const { under, mounts } = repositoryMounts(outside?.(), { root, writable: false, state: jail.state });
    return ownProcess(jail, {
      ...{ program: neededGit(), root, store, writable, finishes: writable, script, args },
      env: { ...bareGitEnvironment(), ...env },
      ...(under ? { under } : {}),
      ...(mounts ? { mounts } : {}),
    });
  }
}

const accepted = ({ accept = [0] }: GitStep) => accept;
