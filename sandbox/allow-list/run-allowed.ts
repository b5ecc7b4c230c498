// Runs an allow-listed command line without a shell: each program by its full path, one after the other.
import { findProgram } from "../exec/environment.ts";
import { guarded } from "../exec/guarded.ts";
import { type ProcessOutcome, type ProcessSpec, runProcess } from "../exec/run-process.ts";
import { quietGit } from "../workspace/git-process.ts";
import { refuseOutsideSettings } from "../workspace/outside-settings.ts";
import type { Repository } from "../workspace/repository.ts";
import { onThisMachine, quietRepository } from "../workspace/repository-config.ts";
import { checkArguments } from "./check-options.ts";
import { checkPlaces } from "./check-places.ts";
import { checkGit } from "./git-rule.ts";
import { notAllowed, parseCommand } from "./parse-command.ts";
import { ruleOf } from "./rules.ts";

/**
 * The commands of the line, each checked. Throws `readonly` if one of them is not allowed; then none runs.
 */
export function checkAllowed(line: string): string[][] {
  const chain = parseCommand(line);
  for (const [program = "", ...args] of chain) {
    if (program === "git") checkGit(args);
    else {
      const rule = ruleOf(program);
      if (!rule) throw notAllowed(`the program \`${program.slice(0, 60)}\``);
      checkArguments(program, args, rule);
    }
  }
  return chain;
}

type Frame = Omit<ProcessSpec, "file" | "args">;

export interface AllowedPlace {
  /** Real path of the workspace. */
  root: string;
  /** The repository that the server knows. */
  repository?: Repository | undefined;
}

/** Runs the line to its end, or up to the first program that fails. */
export async function runAllowed(
  line: string,
  frame: Frame,
  { root, repository }: AllowedPlace,
): Promise<ProcessOutcome> {
  let all: ProcessOutcome = {
    exitCode: 0,
    signal: null,
    timedOut: false,
    stdout: "",
    stderr: "",
    truncated: false,
  };
  const offsets = { stdout: 0, stderr: 0 };
  const chain = checkAllowed(line);
  for (const [, ...args] of chain) await checkPlaces(args, frame.cwd, root);
  const gitHere = onThisMachine(frame.cwd);
  if (chain.some(([program]) => program === "git"))
    await refuseOutsideSettings({ run: gitHere, cwd: frame.cwd, root, repository });
  for (const [program = "", ...args] of chain) {
    const file = findProgram(program);
    if (!file) return { ...all, exitCode: 127, stderr: `${all.stderr}${program}: not found\n` };
    const before = { ...offsets };
    const [start = "sh", ...rest] = guarded([file, ...safeArguments(program, args)]);
    const outcome = await runProcess({
      ...frame,
      file: start,
      args: rest,
      guard: "group",
      env: {
        ...frame.env,
        GIT_OPTIONAL_LOCKS: "0",
        GIT_TERMINAL_PROMPT: "0",
        ...(program === "git" ? await quietRepository(gitHere) : {}),
      },
      onOutput(stream, offset, text) {
        offsets[stream] = before[stream] + offset + Buffer.byteLength(text);
        frame.onOutput?.(stream, before[stream] + offset, text);
      },
    });
    all = {
      ...outcome,
      stdout: all.stdout + outcome.stdout,
      stderr: all.stderr + outcome.stderr,
      truncated: all.truncated || outcome.truncated,
    };
    if (outcome.exitCode !== 0) return all;
  }
  return all;
}

const showsDifferences = new Set(["diff", "log", "show"]);
/** These look into submodules, each of which has its own configuration. */
const looksIntoSubmodules = new Set(["status", "diff", "log", "show"]);

function safeArguments(program: string, args: readonly string[]): string[] {
  if (program === "rg") return ["--no-config", ...args];
  if (program === "diff") return ["--no-dereference", ...args];
  if (program !== "git") return [...args];
  const [subcommand = "", ...rest] = args;
  return [
    ...quietGit,
    subcommand,
    ...(showsDifferences.has(subcommand) ? ["--no-ext-diff", "--no-textconv"] : []),
    ...(looksIntoSubmodules.has(subcommand) ? ["--ignore-submodules=all"] : []),
    ...rest,
  ];
}
