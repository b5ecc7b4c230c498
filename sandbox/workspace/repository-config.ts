// Keeps git in a person's repository from starting programs that the repository's own configuration names.
import { type ProcessOutcome, runProcess } from "../exec/run-process.ts";
import { bareGitEnvironment, gitProgram } from "./git-process.ts";

/**
 * Drivers that a repository may define under any name, and hooks (since git 2.54; `core.hooksPath` leaves them on:
 * https://git-scm.com/docs/git-hook). Git has no single setting that disables them all.
 */
const drivers =
  "^(filter\\..*\\.(clean|smudge|process|required)|diff\\..*\\.(textconv|cachetextconv)|merge\\..*\\.driver|hook\\..*\\.command)$";

/**
 * Variables for git in a repository, in addition to `quietGit`: they switch off every filter, textconv,
 * merge driver and hook by name, and allow no fetching. Commands that show differences also need `--no-ext-diff`.
 * `run`: runs git with the same repository, user and machine configuration that the command will read.
 */
export async function quietRepository(
  run: (args: readonly string[]) => Promise<ProcessOutcome>,
): Promise<Record<string, string>> {
  // The settings are passed as variables and not as `-c name=value`, because a driver's name may contain `=`.
  const entries = (await driversOf(run)).map((key) => [key, neutral(key)] as const);
  const variables: Record<string, string> = {
    GIT_ALLOW_PROTOCOL: "none",
    GIT_CONFIG_COUNT: String(entries.length),
  };
  entries.forEach(([key, value], index) => {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return variables;
}

function neutral(key: string): string {
  // Of several commands of one hook, git runs the last.
  if (key.startsWith("hook.")) return "true";
  if (key.endsWith(".required") || key.endsWith(".cachetextconv")) return "false";
  // Git's own merge, which it uses if there is no driver.
  if (key.startsWith("merge.")) return "git merge-file %A %O %B";
  // An empty filter passes the content through unchanged; an empty textconv would be an error.
  return key.endsWith(".textconv") ? "cat" : "";
}

async function driversOf(run: Parameters<typeof quietRepository>[0]): Promise<string[]> {
  const look = ["config", "--null", "--name-only", "--get-regexp", drivers];
  const { stdout } = await run(["-c", "safe.directory=*", ...look]);
  return [...new Set(stdout.split("\0").filter(Boolean))];
}

/**
 * Runs git on the machine, where the drivers of the person and the machine are found too, such as git lfs.
 */
export function onThisMachine(cwd: string): (args: readonly string[]) => Promise<ProcessOutcome> {
  const { GIT_CONFIG_GLOBAL: _global, GIT_CONFIG_NOSYSTEM: _system, ...environment } = bareGitEnvironment();
  const env = { ...environment, HOME: process.env.HOME ?? "/nonexistent" };
  const limits = { timeoutMs: 10_000, maxOutputBytes: 256 * 1024, keepControls: true };
  return (args) => runProcess({ file: gitProgram() ?? "git", args: [...args], cwd, env, ...limits });
}
