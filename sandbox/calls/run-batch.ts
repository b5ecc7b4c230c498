// Runs an accepted batch. Calls that only read run in parallel; all others run alone and in order. Every call
// gets one result.

import type { CallsLine } from "../../shared/calls-line.ts";
import { HandrailError, toHandrailError, traceOf } from "../../shared/errors.ts";
import type { Access, CallResult, TurnRecord } from "../../shared/sandbox.ts";
import type { ServerContext } from "../context.ts";
import { ownBranch } from "../delivery/session-branch.ts";
import type { CallEntry, CallOutcome, CallRun } from "../journal/call-entry.ts";
import type { TurnLog } from "../journal/turn-log.ts";
import { lockOf, mutates, runOp } from "../ops/run-op.ts";
import { callFailed, diskError } from "../paths/disk-error.ts";
import type { Sandbox } from "../sandbox.ts";
import { hideInError } from "../secrets/hide-error.ts";
import { type AcceptedBatch, type AcceptedCall, commandOf, type PlannedCall } from "./accept-batch.ts";

export interface Batch {
  server: ServerContext;
  sandbox: Sandbox;
  access: Access;
  turn: TurnRecord | undefined;
  accepted: AcceptedBatch;
  emit(line: CallsLine): void;
}

/** Never rejects: failures become results. Continues whether or not anyone reads the emitted lines. */
export async function runBatch(batch: Batch): Promise<void> {
  const reads: Promise<void>[] = [];
  for (const planned of batch.accepted.calls) {
    const alone = lockOf(planned.call.op, planned.call.args, batch.access) !== "read";
    if (alone) await Promise.all(reads.splice(0));
    const done = runPlanned(batch, planned);
    if (alone) await done;
    else reads.push(done);
  }
  await Promise.all(reads);
}

async function runPlanned(batch: Batch, planned: PlannedCall): Promise<void> {
  const result = await resultOf(batch, planned).catch((error: unknown) => {
    batch.server.log({
      level: "error",
      message: "a call failed inside the server",
      op: planned.call.op,
      trace: traceOf(error),
    });
    return refused(batch, planned.call.key, toHandrailError(diskError(error, "state", callFailed) ?? error));
  });
  batch.emit({ type: "result", ...result, ...(isFenced(batch) ? { hold: true } : {}) });
}

/**
 * The turn has been stopped, has finished, or was taken over: the runner of this batch must not show the
 * result.
 */
function isFenced({ accepted: { turn: log }, turn }: Batch): boolean {
  return log !== undefined && (log.stopped || log.finished || (turn?.epoch ?? 0) < log.epoch);
}

async function resultOf(batch: Batch, planned: PlannedCall): Promise<CallResult> {
  if ("refusal" in planned) return refused(batch, planned.call.key, planned.refusal);
  const { entry, own } = planned;
  const { state } = entry;
  if (state.at === "done") return batch.sandbox.journal.resultOf(entry, state.seq);
  if (state.at === "again") throw new Error("a call that may run again was not reserved");
  const { run } = state;
  run.follow((line) => batch.emit(line));
  if (own) await start(batch, planned, entry, run);
  const result = await run.result;
  if (own) return result;
  // The request that held the key was refused and released the key, so this one may run the call itself.
  const givenBack = batch.sandbox.journal.calls.get(entry.key) !== entry;
  if (result.hold && givenBack && result.error?.code !== "stopped")
    return resultOf(batch, takeOver(batch, planned));
  return { ...result, replayed: true };
}

/** Reserves the released key again for this call, or follows another request that was faster. */
function takeOver({ sandbox, accepted }: Batch, { call, entry }: AcceptedCall): PlannedCall {
  const known = sandbox.journal.calls.get(call.key);
  if (known) return { call, entry: known, own: false };
  const { key, op, argsHash, harmless } = entry;
  const reserved = sandbox.journal.reserve({ key, op, argsHash, harmless }, accepted.turn, commandOf(call));
  return { call, entry: reserved, own: true };
}

async function start(batch: Batch, { call }: AcceptedCall, entry: CallEntry, run: CallRun): Promise<void> {
  const { sandbox, access } = batch;
  const refuse = (error: HandrailError) => {
    sandbox.journal.release(entry);
    run.end(refused(batch, entry.key, error));
  };
  if (access === "readonly" && mutates(call.op, call.args)) {
    return refuse(
      new HandrailError("readonly", `\`${call.op}\` changes the workspace, and this request may only read.`),
    );
  }
  // Calls that write nothing to the state folder are allowed, so that a person can still look around.
  const full =
    entry.harmless && call.op !== "snapshot" && call.op !== "exec"
      ? undefined
      : await refusalOf(batch.server);
  if (full) return refuse(full);
  await sandbox.folder.lock.with(lockOf(call.op, call.args, access), async () => {
    const fence = fenceOf(batch, batch.accepted.turn, run);
    if (fence) return refuse(fence);
    if (givesWay(batch, entry)) return run.end(await sandbox.journal.notRun(entry, saidMeanwhile));
    const begun = sandbox.journal.started(entry, run, call.args);
    try {
      // Harmless calls do not wait. Their start is written to disk while they run.
      if (entry.harmless) begun.catch(() => undefined);
      else await begun;
    } catch (error) {
      return refuse(toHandrailError(error));
    }
    const outcome = await perform(batch, call.op, call.args, entry, run);
    if (takesSnapshots.has(call.op)) batch.server.budget.grown();
    try {
      run.end(await sandbox.journal.ended(entry, outcome));
    } catch (error) {
      if (entry.harmless) return refuse(toHandrailError(error));
      entry.state = { at: "unrecorded", run };
      const unknown = { ok: false, error: unrecorded(error).toInfo(), hold: true };
      run.end({ key: entry.key, replayed: false, at: batch.server.now(), ms: outcome.ms, ...unknown });
    }
  });
}

const saidMeanwhile = new HandrailError(
  "not_run",
  "Not run: the person said something meanwhile. Read it; call this again if it is still wanted.",
).toInfo();

/**
 * A call of the model does not begin before the model has read the messages that the person sent into the
 * turn.
 */
function givesWay({ accepted: { turn } }: Batch, { key }: CallEntry): boolean {
  return turn !== undefined && /^[^/]+\/\d+\/\d+(\/again)?$/.test(key) && turn.openSteers.length > 0;
}

async function perform(
  batch: Batch,
  op: AcceptedCall["call"]["op"],
  args: Record<string, unknown>,
  entry: CallEntry,
  run: CallRun,
): Promise<CallOutcome> {
  const { server, sandbox, access } = batch;
  const begun = performance.now();
  const { signal } = run.abort;
  const output = (stream: "stdout" | "stderr", offset: number, text: string) => {
    const line = { type: "output" as const, key: entry.key, stream, offset, text };
    run.output(line);
    if (entry.turnId !== undefined) sandbox.journal.output(entry, line);
  };
  const ms = () => Math.round(performance.now() - begun);
  try {
    // A repository in which git cannot work must not keep the call from running.
    if (access === "write" && entry.turnId !== undefined && !entry.harmless)
      await ownBranch(sandbox, server).catch(() => undefined);
    const value = await runOp(op, args, { server, sandbox, access, signal, output });
    if (op === "exec" && signal.aborted)
      return { ok: false, value, error: interrupted(batch).toInfo(), ms: ms() };
    return { ok: true, value, ms: ms() };
  } catch (error) {
    if (signal.aborted) return { ok: false, error: interrupted(batch).toInfo(), ms: ms() };
    // Outside the workspace, an op writes only files of the server: versions and snapshots.
    const known = toHandrailError(
      diskError(error, op === "git" ? "workspace" : "state", callFailed) ?? error,
    );
    if (known.code === "internal")
      server.log({ level: "error", message: "an op failed", op, trace: traceOf(error) });
    return { ok: false, error: hideInError(server.redactor, known.toInfo()), ms: ms() };
  }
}

/** `git diff` since a snapshot takes a snapshot too. */
const takesSnapshots: ReadonlySet<string> = new Set(["snapshot", "restore", "git"]);

/** The refusal of a call if the state folder has no room for what it would write there. */
async function refusalOf({ budget }: ServerContext): Promise<HandrailError | undefined> {
  return budget.check().then(() => undefined, toHandrailError);
}

/** Why a call must not start any more; undefined if it may. */
function fenceOf(batch: Batch, turn: TurnLog | undefined, run: CallRun): HandrailError | undefined {
  if (batch.server.shutdown.aborted)
    return new HandrailError("stopped", "The sandbox server is shutting down. Send it again.", {
      retryable: true,
    });
  if (batch.sandbox.ending.signal.aborted)
    return new HandrailError("not_run", "The sandbox was deleted before this started.");
  if (turn?.stopped || run.abort.signal.aborted)
    return new HandrailError("stopped", "Stopped before it started.");
  if (!turn || !batch.turn) return undefined;
  try {
    turn.checkRunner(batch.turn.epoch);
    return undefined;
  } catch (error) {
    return toHandrailError(error);
  }
}

/** The result of a call that did not run. Such results are not stored. */
function refused({ server }: Batch, key: string, error: HandrailError): CallResult {
  return { key, ok: false, error: error.toInfo(), replayed: false, at: server.now(), ms: 0, hold: true };
}

function interrupted({ server, sandbox }: Batch): HandrailError {
  const why = server.shutdown.aborted
    ? "The sandbox server was shut down while this ran."
    : sandbox.ending.signal.aborted
      ? "The sandbox was deleted while this ran."
      : "Stopped while it ran.";
  return new HandrailError("stopped", `${why} What it had done until then stays.`);
}

function unrecorded(cause: unknown): HandrailError {
  return new HandrailError(
    "outcome_unknown",
    "This ran, but its result could not be written down. Look before doing it again.",
    { cause },
  );
}
