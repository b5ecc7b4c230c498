// The checks of a plan. How their commands run in the sandbox: which need permission, what they may reach, and which exit
// code counts in a pipe. And the text that the model reads about a check: how it ended, the relevant lines of its output,
// why a report was not checked.

import type { EventMessage, Message } from "../../shared/message.ts";
import { checkLimitMs } from "../../shared/plan/check-time.ts";
import type { Checkpoint } from "../../shared/plan/plan-file.ts";
import type { ExecValue } from "../../shared/sandbox.ts";
import { isEventOf } from "../../shared/session/history.ts";
import { commandNetwork, networkRisk } from "../calls/network-gate.ts";
import { gate } from "../calls/permission.ts";
import type { KeyedCall, PendingCall, Waits } from "../calls/prepared.ts";
import { sandboxNotes } from "../calls/sandbox-notes.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { pipedInto, risksToAsk } from "../command-risk/command-risk.ts";

type AskingTurn = Pick<ToolTurn, "env" | "state">;

/**
 * The call that runs a check, shown under the report that it belongs to. The network is open to a command that needs
 * it if the person allowed it.
 */
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

/** One question for all checks that a report would run; undefined if none of them needs permission. */
export function gateChecks(
  turn: AskingTurn,
  pending: PendingCall,
  commands: readonly string[],
): Waits | undefined {
  const network = commands.flatMap((command) => networkRisk(commandNetwork(turn, pending, command), command));
  return gate(turn, pending, commands, "checkpoints", network);
}

/** The `commands` that need a permission, for cases in which nobody is asked. */
export function unaskedChecks(turn: AskingTurn, commands: readonly string[]): ReadonlySet<string> {
  const { env, state } = turn;
  const risks = risksToAsk(commands, state.mode, env.grants).map(({ command }) => command);
  const offline = commands.filter(
    (command) => commandNetwork(turn, { permitted: false }, command).why !== undefined,
  );
  return new Set([...risks, ...offline]);
}

/**
 * These programs read to the end and do not fail: a check is piped into them to shorten its output, and their exit code
 * says nothing.
 */
const showing: ReadonlySet<string> = new Set(["tail", "cat", "tee"]);
/** A shell that does not know the option runs the check without it. */
const option = "(set -o pipefail) 2>/dev/null && set -o pipefail\n";
/** `head` closes the pipe early, which ends or fails what writes into it: here it reads to the end. */
const patient = 'head() { command head "$@" && cat >/dev/null; }\n';

/** Whether a command before a pipe may fail unseen. */
export function hidesFailure(command: string): boolean {
  return pipedInto(command).some((program) => program !== "head -" && !showing.has(program));
}

/** The command as the sandbox runs it: if the rest of a pipe only shows a check's output, the part before it decides. */
export function asRun(command: string): string {
  const into = pipedInto(command);
  if (into.length === 0 || hidesFailure(command)) return command;
  return `${option}${into.includes("head -") ? patient : ""}${command}`;
}

/** The inverse of `asRun`. */
export function asWritten(command: string): string {
  const cut = command.startsWith(option) ? command.slice(option.length) : command;
  return cut.startsWith(patient) ? cut.slice(patient.length) : cut;
}

/** A failing suite prints thousands of lines; the model reads these few. run_command shows all of them. */
const maxLines = 60;
const tailLines = 24;
/** Enough of a minified line, or of a diff on one line. */
const lineChars = 400;
/** For a check that passed: those of a test program's last lines that count what ran and what failed. */
const passedLines = 3;
const summaryLines = 12;
const counting = /\d.*\b(?:pass|fail|error|test|ok)|\b(?:pass|fail|error|test|ok).*\d/i;
const passedLineChars = 120;

const failing =
  /\b(?:error|errors|fail|fails|failed|failing|failure|failures|assert\w*|panic|panicked|exception|traceback|expected|received|not ok|cannot|undefined|denied|refused|unresolved)\b|\w+(?:Error|Exception)\b|[✘✗✖×❌]|^\s*(?:E {2}|FAIL|--- )/i;
/** A test that passed, whatever its name says. */
const passing = /^\s*(?:[✔✓√]|ok\b|PASS\b|--- PASS|test .* ok$)|\bPASSED\b/;
/** A summary that counts zero failures. */
const nothingFailed = /\b(?:0|no) (?:\w+ )?(?:errors?|fail\w*|problems?)\b|\b(?:errors?|fail\w*):? 0\b/i;

/** The reason if a check could not be run and the sandbox did not say why. */
export const noReason = "the sandbox gave no result";

/** How a check ended, in a few words. `problem`: why it could not be run. */
export function checkEnd(
  checkpoint: Checkpoint,
  exec: ExecValue | undefined,
  problem: string = noReason,
): string {
  if (!exec) return `it could not be run: ${problem}`;
  if (exec.timedOut) return `it ran out of its time, ${checkLimitMs(checkpoint) / 1000} s`;
  return exec.signal ? `ended by ${exec.signal}` : `exit ${exec.exitCode}`;
}

/** The lines about the failure, then the tail: at most 60 lines, with gaps marked. */
export function checkOutput(exec: ExecValue): string {
  const text = [exec.stdout.trimEnd(), exec.stderr.trimEnd()].filter((part) => part !== "").join("\n");
  const lines = text === "" ? ["(no output)"] : text.split("\n");
  return [...shownLines(lines), ...sandboxNotes(exec)].join("\n");
}

/**
 * What follows "its check passed.": that it exited 0, a warning where only the last command of a pipe did, and the last
 * lines that count something, so that `# fail 1` is seen.
 */
export function passedOutput({ command }: Checkpoint, exec: ExecValue | undefined): string {
  if (!exec) return "";
  const how = `It exited 0${hidesFailure(command) ? ": the exit code of the last command of a pipe, whatever those before it ended with" : ""}`;
  const lines = `${exec.stdout}\n${exec.stderr}`.split("\n").filter((line) => line.trim() !== "");
  const counts = lines.slice(-summaryLines).filter((line) => counting.test(line));
  const last = (counts.length > 0 ? counts : lines)
    .slice(-passedLines)
    .map((line) => cutLine(line.trimEnd(), passedLineChars));
  return last.length === 0 ? `${how}.` : [`${how}. Its last lines:`, ...last].join("\n");
}

function cutLine(line: string, chars: number): string {
  return line.length > chars ? `${line.slice(0, chars)}…` : line;
}

/** The line that says most about the failure: the last one that reports a failure, else the last one. */
export function tellingLine({ stdout, stderr }: ExecValue): string {
  const lines = `${stdout}\n${stderr}`.split("\n").filter((line) => line.trim() !== "");
  return (lines.findLast(reportsFailure) ?? lines.at(-1) ?? "").trim();
}

function reportsFailure(line: string): boolean {
  return failing.test(line) && !nothingFailed.test(line) && !passing.test(line);
}

function shownLines(lines: readonly string[]): string[] {
  const shown = lines.length <= maxLines ? lines.map((_, index) => index) : chosen(lines);
  const written: string[] = [];
  let next = 0;
  for (const index of shown) {
    // Do not replace a single line: the note about it would be as long.
    if (index === next + 1) written.push(cutLine(lines[next] ?? "", lineChars));
    else if (index > next) written.push(gapLine(index - next));
    written.push(cutLine(lines[index] ?? "", lineChars));
    next = index + 1;
  }
  return written;
}

/** Indices of the lines to show, in order: as many as fit together with the gap marks. */
function chosen(lines: readonly string[]): number[] {
  const indices = new Set<number>();
  for (let index = lines.length - tailLines; index < lines.length; index += 1) indices.add(index);
  const failed = lines.flatMap((line, index) => (reportsFailure(line) ? [index] : []));
  // What failed first, then the lines below each: the values, and where.
  for (const offset of [0, 1, 2]) {
    for (const index of failed) {
      if (indices.size + gapsIn(indices) + 2 > maxLines) break;
      indices.add(index + offset);
    }
  }
  return [...indices].filter((index) => index < lines.length).sort((a, b) => a - b);
}

function gapsIn(indices: ReadonlySet<number>): number {
  return [...indices].filter((index) => index > 0 && !indices.has(index - 1)).length;
}

function gapLine(count: number): string {
  return `[… ${count} ${count === 1 ? "line" : "lines"} not shown …]`;
}

export const notChecked = {
  noCheck: "Not checked: the step has no check.",
  skipped: "Not checked: the step was skipped.",
  denied: "Not checked: the person did not allow what would have run.",
  unasked: "Not checked: the person would have to allow the command, and was not asked.",
  stopped: "Not checked: the check was stopped while it ran, so it neither passed nor failed.",
  notRun: "Not checked: the sandbox could not run the check, so it neither passed nor failed.",
  outOfTime: (check: Pick<Checkpoint, "timeoutMs">) =>
    `Not checked: the check was ended by its limit of ${checkLimitMs(check) / 1_000} s, so it neither passed nor failed.`,
} as const;

/** Whether a message reports that the check of this step could not be run. */
export function wasNotRun(message: Message, stepId: string): message is EventMessage {
  return (
    isEventOf(message, "verifier_report") &&
    message.extra.event.source === "checkpoint" &&
    message.extra.event.data.stepId === stepId &&
    message.extra.event.data.notRun !== undefined
  );
}
