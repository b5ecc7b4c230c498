// Makes git in a person's repository start no program that the repository's own configuration names.
import { type ProcessOutcome, runProcess } from "../exec/run-process.ts";
import { bareGitEnvironment, gitProgram } from "./git-process.ts";

/** Drivers that a repository may define under any name; git has no one setting against all of them. */
const drivers =
  "^(filter\\..*\\.(clean|smudge|process|required)|diff\\..*\\.(textconv|cachetextconv)|merge\\..*\\.driver)$";

/**
 * Variables for git in a repository, beside `quietGit`: every filter, textconv and merge driver that it defines is switched
 * off by name, and nothing is fetched. Commands that show differences need `--no-ext-diff` too. `run`: runs git with
 * arguments where that repository's configuration, the person's and the machine's are read as they will be.
 */
export async function quietRepository(
  run: (args: readonly string[]) => Promise<ProcessOutcome>,
): Promise<Record<string, string>> {
  // As variables, not as `-c name=value`: a driver's name may hold a `=`.
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
  if (key.endsWith(".required") || key.endsWith(".cachetextconv")) return "false";
  // What git does itself if there is no driver.
  if (key.startsWith("merge.")) return "git merge-file %A %O %B";
  // An empty filter passes content through; an empty textconv is an error.
  return key.endsWith(".textconv") ? "cat" : "";
}

async function driversOf(run: Parameters<typeof quietRepository>[0]): Promise<string[]> {
  const look = ["config", "--null", "--name-only", "--get-regexp", drivers];
  const { stdout } = await run(["-c", "safe.directory=*", ...look]);
  return [...new Set(stdout.split("\0").filter(Boolean))];
}

/** Runs git on the machine, where the person's and the machine's own drivers count too: git lfs is one of them. */
export function onThisMachine(cwd: string): (args: readonly string[]) => Promise<ProcessOutcome> {
  const { GIT_CONFIG_GLOBAL: _global, GIT_CONFIG_NOSYSTEM: _system, ...environment } = bareGitEnvironment();
  const env = { ...environment, HOME: process.env.HOME ?? "/nonexistent" };
  const limits = { timeoutMs: 10_000, maxOutputBytes: 256 * 1024, keepControls: true };
  return (args) => runProcess({ file: gitProgram() ?? "git", args: [...args], cwd, env, ...limits });
}
