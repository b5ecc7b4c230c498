// Whether a failed check also fails without the plan's changes: its command runs once more, on a throwaway copy of the
// files as the first step found them. It runs only after a failure, so an approval never waits for it.
import * as z from "zod/mini";
import type { TurnEvent } from "../../shared/event.ts";
import type { Message } from "../../shared/message.ts";
import { CheckBefore } from "../../shared/plan/check-before.ts";
import { checkLimitMs } from "../../shared/plan/check-time.ts";
import type { Checkpoint } from "../../shared/plan/plan-file.ts";
import { type CallResult, ExecValue } from "../../shared/sandbox.ts";
import { isEventOf } from "../../shared/session/history.ts";
import { failedForTheSandbox } from "../calls/sandbox-notes.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { risksToAsk } from "../command-risk/command-risk.ts";
import * as limits from "../limits.ts";
import { asRun, tellingLine } from "./checks.ts";

/** A check that failed. */
export interface FailedCheck {
  /** Key of the call that runs it on the unchanged files. */
  key: string;
  check: Checkpoint;
  /** How long the failed run took. */
  ms: number;
  /** The failed run itself, if nothing had been changed: then it is its own baseline. */
  is?: CallResult | undefined;
}

/**
 * How the `failed` commands ended on the unchanged files, by command; missing commands were not run. A command already
 * tried in this turn is not run again. Never fails: an error in a baseline becomes a result without information.
 */
export async function* baselines(
  turn: ToolTurn,
  failed: readonly FailedCheck[],
): AsyncGenerator<TurnEvent, ReadonlyMap<string, CheckBefore>> {
  const { env, state } = turn;
  const snapshot = state.plan?.steps.find((step) => step.snapshot !== undefined)?.snapshot;
  const found = new Map<string, CheckBefore>();
  if (!env.baseline || snapshot === undefined) return found;
  // Only reports of this turn count: anybody may have written those of the posted history.
  const tried = triedIn(state.history.slice(env.request.messages.length), snapshot);
  const wanted: FailedCheck[] = [];
  for (const one of failed) {
    const { command } = one.check;
    const before = one.is ? outcomeBefore(snapshot, one.is) : tried.get(command);
    if (before) found.set(command, before);
    else if (one.ms > limits.baselineMs) found.set(command, { snapshot, exitCode: null, timedOut: true });
    else if (!wanted.some(({ check }) => check.command === command) && mayRun(turn, one)) wanted.push(one);
  }
  const runs = wanted.slice(0, Math.max(0, limits.baselines - tried.size));
  if (runs.length === 0) return found;
  const results = yield* turn.runCalls(
    runs.map(({ key, check, ms }) => ({
      key,
      op: "exec",
      args: {
        command: asRun(check.command),
        timeoutMs: Math.min(checkLimitMs(check), limits.baselineMs, 2 * ms + limits.baselineSpareMs),
        tree: snapshot,
      },
    })),
  );
  runs.forEach(({ check }, index) => {
    found.set(check.command, outcomeBefore(snapshot, results[index]));
  });
  return found;
}

/** Do not rerun a command that needs permission each time. */
function mayRun({ env, state }: ToolTurn, { check }: FailedCheck): boolean {
  return risksToAsk([check.command], state.mode, env.grants).length === 0;
}

/** A copy has no network, and installed packages cannot be written there: a failure of that kind says nothing. */
function outcomeBefore(snapshot: string, result: CallResult | undefined): CheckBefore {
  const exec = result?.ok ? z.parse(ExecValue, result.value) : undefined;
  if (exec?.timedOut) return { snapshot, exitCode: null, timedOut: true };
  if (!exec || exec.exitCode === null || failedForTheSandbox(exec)) return { snapshot, exitCode: null };
  const last = tellingLine(exec);
  return {
    snapshot,
    exitCode: exec.exitCode,
    ...(last === "" ? {} : { last: last.slice(0, limits.baselineLastChars) }),
  };
}

/** What the reports in `messages` say about the same files, by command. */
function triedIn(messages: readonly Message[], snapshot: string): Map<string, CheckBefore> {
  const tried = new Map<string, CheckBefore>();
  for (const message of messages) {
    if (!isEventOf(message, "verifier_report")) continue;
    const { command, before } = message.extra.event.data;
    const parsed = z.safeParse(CheckBefore, before);
    if (parsed.success && parsed.data.snapshot === snapshot) tried.set(String(command), parsed.data);
  }
  return tried;
}

const tooLong =
  'Whether it failed before your changes is not known: it takes too long to be tried unasked. run_command with "tree":"start" runs it on the files as the session began.';

/** What the model reads about it; nothing if the run gave no information. */
export function baselineText(before: CheckBefore | undefined): string[] {
  if (before?.timedOut) return [tooLong];
  if (!before || before.exitCode === null) return [];
  if (before.exitCode === 0) return ["It passed before your changes, on the files as the plan found them."];
  const last = before.last === undefined ? "." : `: ${before.last}`;
  return [`It failed before your changes too (exit ${before.exitCode})${last}`];
}
