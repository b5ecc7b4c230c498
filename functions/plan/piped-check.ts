// Checks that are piped: whose exit code counts.
import { parseCommandLine } from "../command-risk/command-line.ts";

/** They read to the end and do not fail: a check is piped into them to be read, not to be judged by them. */
const showing: ReadonlySet<string> = new Set(["tail", "cat", "tee"]);
/** A shell that does not know the option runs the check without it. */
const option = "(set -o pipefail) 2>/dev/null && set -o pipefail\n";
/** `head` closes the pipe early, which ends or fails what writes into it: here it reads on. */
const patient = 'head() { command head "$@" && cat >/dev/null; }\n';

/** The programs that a command pipes into, unless it sets `pipefail` itself. A `head` of its input alone is named so. */
function pipedInto(command: string): string[] {
  if (/\bpipefail\b/.test(command)) return [];
  const { commands } = parseCommandLine(command);
  const heads = commands.filter(({ words }) => words[0]?.text === "head");
  const plain = heads.every(({ upstream, words: [, ...args] }) => {
    // An endless output has to be cut off.
    const endless = upstream?.words.some(({ text }) => /^(yes|\/dev\/.*)$/.test(text));
    return upstream && !endless && args.every(({ text }) => /^(-\S*|\d+)$/.test(text));
  });
  return commands.flatMap(({ upstream, words }) => {
    const program = words[0]?.text ?? "";
    return upstream === undefined ? [] : program === "head" && plain ? "head -" : program;
  });
}

/** Whether a command before a pipe may fail unseen. */
export function hidesFailure(command: string): boolean {
  return pipedInto(command).some((program) => program !== "head -" && !showing.has(program));
}

/** The command as the sandbox runs it: where pipes only show what a check prints, what is before them decides. */
export function asRun(command: string): string {
  const into = pipedInto(command);
  if (into.length === 0 || hidesFailure(command)) return command;
  return `${option}${into.includes("head -") ? patient : ""}${command}`;
}

/** The opposite of `asRun`. */
export function asWritten(command: string): string {
  const cut = command.startsWith(option) ? command.slice(option.length) : command;
  return cut.startsWith(patient) ? cut.slice(patient.length) : cut;
}
