// Makes git in a person's repository start no program that the repository's own configuration names.
import { runProcess } from "../exec/run-process.ts";
import { bareGitEnvironment, gitProgram } from "./git-process.ts";

/** Drivers that a repository may define under any name; git has no one setting against all of them. */
const drivers = "^(filter\\..*\\.(clean|smudge|process|required)|diff\\..*\\.(textconv|cachetextconv))$";

/**
 * Variables for git in the repository at `root`, beside `quietGit`: every filter and textconv driver that it
 * defines is switched off by name, and nothing is fetched. Commands that show differences need `--no-ext-diff` too.
 */
export async function quietRepository(root: string): Promise<Record<string, string>> {
  // As variables, not as `-c name=value`: a driver's name may hold a `=`.
  const entries = (await driversOf(root)).map((key) => [key, neutral(key)] as const);
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
  // An empty filter passes content through; an empty textconv is an error.
  return key.endsWith(".textconv") ? "cat" : "";
}

async function driversOf(root: string): Promise<string[]> {
  const file = gitProgram();
  if (!file) return [];
  const { GIT_CONFIG_GLOBAL: _global, GIT_CONFIG_NOSYSTEM: _system, ...environment } = bareGitEnvironment();
  const outcome = await runProcess({
    file,
    args: ["-c", "safe.directory=*", "config", "--null", "--name-only", "--get-regexp", drivers],
    cwd: root,
    // The person's and the machine's own drivers count too: git lfs stands there.
    env: { ...environment, HOME: process.env.HOME ?? "/nonexistent" },
    timeoutMs: 10_000,
    maxOutputBytes: 256 * 1024,
    keepControls: true,
  });
  return [...new Set(outcome.stdout.split("\0").filter(Boolean))];
}
