// Runs git for the server's own purposes, and keeps it from executing anything that the person's or the
// repository's configuration names.
import { HandrailError } from "../../shared/errors.ts";
import type { Redactor } from "../../shared/redact/redactor.ts";
import { findProgram, machinePath } from "../exec/environment.ts";
import { guarded } from "../exec/guarded.ts";
import { type ProcessOutcome, runProcess } from "../exec/run-process.ts";

export function gitProgram(): string | undefined {
  return findProgram("git");
}

/** Throws `unsupported` if git is not installed. */
export function neededGit(): string {
  const program = gitProgram();
  if (program) return program;
  const how = "Install it and start the sandbox again.";
  throw new HandrailError("unsupported", `git is not installed where the sandbox runs. ${how}`);
}

/** Settings that keep git from starting any program that a repository chooses. */
export const quietGit: readonly string[] = [
  // A command may have replaced a commit with another one.
  "--no-replace-objects",
  "--no-pager",
  ...setting("core.hooksPath=/dev/null"),
  ...setting("core.fsmonitor=false"),
  ...setting("core.attributesFile=/dev/null"),
  ...setting("core.editor=false"),
  ...setting("core.sshCommand=false"),
  ...setting("credential.helper="),
  ...setting("log.showSignature=false"),
  ...setting("commit.gpgSign=false"),
  ...setting("gpg.program=false"),
  ...setting("gpg.ssh.program=false"),
  ...setting("gpg.x509.program=false"),
  ...setting("submodule.recurse=false"),
  ...setting("protocol.ext.allow=never"),
  ...setting("advice.addEmbeddedRepo=false"),
  // Reading a difference does not write the index, and a commit starts no other program afterwards.
  ...setting("diff.autoRefreshIndex=false"),
  ...setting("gc.auto=0"),
  ...setting("maintenance.auto=false"),
  // A folder that merely looks like a repository does not count as one.
  ...setting("safe.bareRepository=explicit"),
  ...setting("safe.directory=*"),
];

function setting(pair: string): string[] {
  return ["-c", pair];
}

/** Environment that keeps git from reading the machine's and the person's configuration. */
export function bareGitEnvironment(): Record<string, string> {
  return {
    PATH: machinePath().join(":"),
    HOME: "/nonexistent",
    LANG: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
  };
}

export interface GitRun {
  cwd: string;
  env?: Record<string, string>;
  input?: string;
  maxOutputBytes?: number;
  timeoutMs?: number;
  /** Exit codes that do not count as failures; [0] by default. */
  accept?: readonly number[];
  /** Redacts secrets in git's output. */
  redactor?: Redactor;
  /** Ends git early. The run then fails. */
  signal?: AbortSignal;
  /**
   * Ends git when this server is killed. Do not set it for work that should finish, such as writing files.
   */
  guard?: boolean;
}

/**
 * Runs git and returns its output. Throws `internal` if git fails, or `unsupported` if it is not installed.
 */
export async function runGit(args: readonly string[], run: GitRun): Promise<ProcessOutcome> {
  const file = neededGit();
  const command = [file, ...quietGit, ...args];
  const [program = file, ...rest] = run.guard ? guarded(command) : command;
  const outcome = await runProcess({
    file: program,
    args: rest,
    ...(run.guard ? { guard: "group" as const } : {}),
    cwd: run.cwd,
    env: { ...bareGitEnvironment(), ...run.env },
    timeoutMs: run.timeoutMs ?? 120_000,
    maxOutputBytes: run.maxOutputBytes ?? 1024 * 1024,
    keepControls: true,
    ...(run.redactor ? { redactor: run.redactor } : {}),
    ...(run.signal ? { signal: run.signal } : {}),
    ...(run.input === undefined ? {} : { input: run.input }),
  });
  mustHaveHadRoom(outcome.stderr);
  if (outcome.exitCode === null || !(run.accept ?? [0]).includes(outcome.exitCode))
    throw gitFailure(args, outcome.stderr);
  return outcome;
}

/**
 * Git's messages about files of the workspace, by their relative paths, that have changed since it read them.
 */
const changedMeanwhile =
  /^(?!.*[ '"]\/).*(?:: (?:No such file or directory|Not a directory|Is a directory|File exists|Directory not empty)|is beyond a symbolic link|did not match any files|failed to read \d+ bytes from .*)$/m;

/** `args`: the arguments of the git command that failed. */
export function gitFailure(args: readonly string[], stderr: string): HandrailError {
  const more = { retryable: true, cause: new Error(stderr) };
  if (changedMeanwhile.test(stderr))
    return new HandrailError(
      "stale_file",
      "Files changed while git was at work on them. Try again once no program writes there.",
      more,
    );
  const verb = args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c");
  return new HandrailError("internal", `git ${verb ?? ""} failed in the sandbox.`, more);
}

/**
 * Throws if git reports a full disk. With `--ignore-errors` it would leave out such files and still succeed.
 */
export function mustHaveHadRoom(stderr: string): void {
  if (/: (No space left on device|Disk quota exceeded)$/m.test(stderr))
    throw new HandrailError("internal", "git had no room.", { cause: new Error(stderr) });
}
