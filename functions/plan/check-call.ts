// The commands of a plan as calls of the sandbox: what the person has to allow before they run, what they may reach, and
// whose exit code counts where they are piped.
import { checkLimitMs } from "../../shared/plan/check-time.ts";
import type { Checkpoint } from "../../shared/plan/plan-file.ts";
import { commandNetwork, networkRisk } from "../calls/network-gate.ts";
import { gate } from "../calls/permission.ts";
import type { KeyedCall, PendingCall, Waits } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { parseCommandLine } from "../command-risk/command-line.ts";
import { risksToAsk } from "../command-risk/permissions.ts";

type AskingTurn = Pick<ToolTurn, "env" | "state">;

/** Shown under the report being checked. The network is open to a command that needs it if the person allowed it. */
export function checkCall(
  turn: AskingTurn,
  pending: PendingCall,
  { key, check: { command, timeoutMs } }: { key: string; check: Checkpoint },
): KeyedCall {
  const { hosts } = commandNetwork(turn, pending, command);
  const args = {
    command: asRun(command),
    timeoutMs: checkLimitMs({ timeoutMs }),
    ...(hosts ? { network: hosts } : {}),
  };
  return { key, op: "exec", args, toolCallId: pending.call.id };
}

/** The one question for all checks that a report would run; undefined where none of them needs the person's word. */
export function gateChecks(
  turn: AskingTurn,
  pending: PendingCall,
  commands: readonly string[],
): Waits | undefined {
  const network = commands.flatMap((command) => networkRisk(commandNetwork(turn, pending, command), command));
  return gate(turn, pending, commands, "checkpoints", network);
}

/** Those of `commands` that need the person's word, where nobody is asked. */
export function unaskedChecks(turn: AskingTurn, commands: readonly string[]): ReadonlySet<string> {
  const { env, state } = turn;
  const risks = risksToAsk(commands, state.mode, env.grants).map(({ command }) => command);
  const offline = commands.filter(
    (command) => commandNetwork(turn, { permitted: false }, command).why !== undefined,
  );
  return new Set([...risks, ...offline]);
}

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
