// Which commands need a person's word first (PROTOCOL 6): destroying things, or reaching out. The jail does not rely on it.
import type { Risk } from "../../shared/event.ts";
import type { EventMessage, Message } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import { parseCommandLine, type SimpleCommand } from "./command-line.ts";

export interface CommandRisk {
  risk: Extract<Risk, "destructive" | "remote">;
  why: string;
  /** What a grant for the session covers together with the risk. */
  program: string;
  subcommand: string;
}

/** Every risk of a command line, worst first: reaching out before destroying. Empty = none known. */
export function commandRisks(command: string): CommandRisk[] {
  const { ok, commands } = parseCommandLine(command);
  const risks = commands.flatMap((simple) => riskOf(simple));
  if (!ok)
    risks.push({
      risk: "destructive",
      why: "Its quoting does not close, so what it does is not known.",
      program: "?",
      subcommand: "",
    });
  return risks.sort((a, b) => (a.risk === b.risk ? 0 : a.risk === "remote" ? -1 : 1));
}

/** The first risk that `mode` asks for and no grant covers. Normal asks for both kinds, auto for reaching out only. */
export function riskToAsk(command: string, mode: Mode, granted: readonly Grant[]): CommandRisk | undefined {
  // In plan mode the sandbox itself is read-only and has no network.
  if (mode === "plan") return undefined;
  return commandRisks(command).find(
    (found) =>
      (mode === "normal" || found.risk === "remote") && !granted.some((grant) => covers(grant, found)),
  );
}

/** A person's "allow for this session". */
export interface Grant {
  risk: string;
  program: string;
  subcommand: string;
}

function covers(grant: Grant, found: CommandRisk): boolean {
  return (
    grant.risk === found.risk && grant.program === found.program && grant.subcommand === found.subcommand
  );
}

/** The grants that live in the history as `tool_decision` events. */
export function grantsIn(history: readonly Message[]): Grant[] {
  return history
    .filter(
      (message): message is EventMessage =>
        message.role === "event" && message.extra.event.subkind === "tool_decision",
    )
    .map((message) => message.extra.event.data)
    .filter((data) => data.decision === "session")
    .map(({ risk, program, subcommand }) => ({
      risk: String(risk),
      program: String(program),
      subcommand: String(subcommand),
    }));
}

const wrappers = new Set([
  "sudo",
  "env",
  "nohup",
  "nice",
  "time",
  "timeout",
  "command",
  "exec",
  "xargs",
  "stdbuf",
  "setsid",
  "then",
  "do",
  "else",
  "!",
  "if",
  "while",
]);
const shells = new Set(["sh", "bash", "zsh", "dash", "ksh"]);
const reachingOut = new Set([
  "curl",
  "wget",
  "ssh",
  "scp",
  "sftp",
  "rsync",
  "nc",
  "ncat",
  "netcat",
  "telnet",
  "ftp",
  "socat",
  "mail",
  "sendmail",
]);
const destroying = new Set(["shred", "mkfs", "dd", "truncate", "dropdb", "wipefs", "fdisk"]);
const publishing: Record<string, readonly string[]> = {
  npm: ["publish", "unpublish", "deprecate", "dist-tag"],
  pnpm: ["publish"],
  yarn: ["publish"],
  cargo: ["publish", "yank"],
  gem: ["push"],
  docker: ["push", "login"],
  gh: ["pr", "release", "issue", "api", "gist", "repo", "workflow", "secret"],
  twine: ["upload"],
  wrangler: ["deploy", "publish", "delete"],
  kubectl: ["apply", "delete", "create", "exec"],
  terraform: ["apply", "destroy"],
  aws: [],
  gcloud: [],
  az: [],
};

function riskOf(simple: SimpleCommand): CommandRisk[] {
  const words = unwrapped(simple.words);
  const program = (words[0] ?? "").split("/").pop() ?? "";
  const args = words.slice(1);
  const subcommand = args.find((arg) => !arg.startsWith("-")) ?? "";
  const found = (risk: CommandRisk["risk"], why: string, sub = subcommand): CommandRisk[] => [
    { risk, why, program, subcommand: sub },
  ];

  if (program === "" && simple.dynamic)
    return found("destructive", "The program it runs is made up at run time.");
  if (program.startsWith("$")) return found("destructive", "The program it runs is made up at run time.");
  if (program === "eval" || program === "source" || program === ".")
    return found("destructive", `\`${program}\` runs text that is not shown here.`);
  if (shells.has(program)) {
    const script = args[args.findIndex((arg) => /^-[a-z]*c$/.test(arg)) + 1];
    return args.some((arg) => /^-[a-z]*c$/.test(arg)) && script !== undefined ? commandRisks(script) : [];
  }
  if (program === "rm" || program === "rmdir" || program === "unlink") {
    return args.some((arg) => /^-[a-zA-Z]*[rRf]|^--(recursive|force)$/.test(arg)) || simple.dynamic
      ? found("destructive", "It deletes files for good.", "")
      : [];
  }
  if (
    program === "find" &&
    args.some((arg) => arg === "-delete" || arg.startsWith("-exec") || arg.startsWith("-ok"))
  ) {
    const inner = args.slice(args.findIndex((arg) => arg.startsWith("-exec") || arg.startsWith("-ok")) + 1);
    return args.includes("-delete")
      ? found("destructive", "It deletes what it finds.", "-delete")
      : riskOf({ ...simple, words: inner });
  }
  if (destroying.has(program) || program.startsWith("mkfs."))
    return found("destructive", `\`${program}\` overwrites or removes data.`, "");
  if (program === "git") return gitRisk(args, found);
  if (
    /^(psql|mysql|sqlite3|mongosh?|redis-cli)$/.test(program) &&
    /\b(drop|truncate|delete|flushall|flushdb)\b/i.test(args.join(" "))
  ) {
    return found("destructive", "It drops or deletes data.", "");
  }
  if (reachingOut.has(program)) return found("remote", `\`${program}\` talks to another machine.`, "");
  const publish = publishing[program];
  if (publish && (publish.length === 0 || publish.includes(subcommand)))
    return found("remote", `\`${program} ${subcommand}\` changes something outside this workspace.`);
  return [];
}

function gitRisk(
  args: string[],
  found: (risk: CommandRisk["risk"], why: string, sub?: string) => CommandRisk[],
): CommandRisk[] {
  let rest = args;
  while (rest[0]?.startsWith("-"))
    rest = rest.slice(/^(-c|-C|--git-dir|--work-tree|--namespace)$/.test(rest[0]) ? 2 : 1);
  const [verb = "", ...options] = rest;
  const has = (pattern: RegExp) => options.some((option) => pattern.test(option));
  if (verb === "push") return found("remote", "It sends commits to another repository.", verb);
  if (verb === "send-email" || verb === "request-pull") return found("remote", "It sends data out.", verb);
  const destroys =
    (verb === "reset" && has(/^--(hard|merge|keep)$/)) ||
    (verb === "clean" && has(/^-[a-zA-Z]*f|^--force$/)) ||
    (verb === "branch" && has(/^-[a-zA-Z]*D|^--delete$|^-d$/)) ||
    (verb === "checkout" && has(/^(-f|--force|--|\.)$/)) ||
    (verb === "restore" && !has(/^--staged$/)) ||
    (verb === "stash" && has(/^(drop|clear)$/)) ||
    (verb === "commit" && has(/^--amend$/)) ||
    (verb === "tag" && has(/^(-d|--delete)$/)) ||
    (verb === "rm" && !has(/^--cached$/)) ||
    ["rebase", "filter-branch", "filter-repo", "update-ref", "gc", "prune", "reflog", "worktree"].includes(
      verb,
    );
  return destroys ? found("destructive", `\`git ${verb}\` throws away work or rewrites history.`, verb) : [];
}

/** The words behind assignments and wrappers such as `sudo` or `timeout 5`. */
function unwrapped(words: string[]): string[] {
  let rest = words;
  for (;;) {
    const first = rest[0];
    if (first === undefined) return rest;
    if (/^[A-Za-z_][A-Za-z0-9_]*=/.test(first)) rest = rest.slice(1);
    else if (wrappers.has(first.split("/").pop() ?? "")) {
      rest = rest.slice(1);
      while (rest[0] !== undefined && (rest[0].startsWith("-") || /^\d+[smhd]?$/.test(rest[0])))
        rest = rest.slice(1);
    } else return rest;
  }
}
