// Checks that are piped: whose exit code counts.
import { parseCommandLine } from "../command-risk/command-line.ts";

/** They read to the end and do not fail: a check is piped into them to be read, not to be judged by them. */
const showing: ReadonlySet<string> = new Set(["tail", "cat", "tee"]);
/** A shell that does not know the option runs the check without it. */
const option = "(set -o pipefail) 2>/dev/null && set -o pipefail\n";

/** The programs that a command pipes into, unless it sets `pipefail` itself. */
function pipedInto(command: string): string[] {
  if (/\bpipefail\b/.test(command)) return [];
  const { commands } = parseCommandLine(command);
  return commands.flatMap(({ upstream, words }) => (upstream === undefined ? [] : (words[0]?.text ?? "")));
}

/** Whether a command before a pipe may fail unseen. */
export function hidesFailure(command: string): boolean {
  return pipedInto(command).some((program) => !showing.has(program));
}

/** The command as the sandbox runs it: where pipes only show what a check prints, what is before them decides. */
export function asRun(command: string): string {
  return pipedInto(command).length > 0 && !hidesFailure(command) ? option + command : command;
}

/** The opposite of `asRun`. */
export function asWritten(command: string): string {
  return command.startsWith(option) ? command.slice(option.length) : command;
}
