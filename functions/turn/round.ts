// The calls of one assistant message, in order, up to the first that waits: gates, requests to the sandbox, results.
import type { TurnEvent } from "../../shared/event.ts";
import { isRecord } from "../../shared/is-record.ts";
import type { AssistantMessage, ToolCall } from "../../shared/message.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import { pendingCall, type Resumption } from "../calls/open-calls.ts";
import {
  type Outcome,
  type PendingCall,
  type PreparedCall,
  parseArguments,
  type Waits,
} from "../calls/prepared.ts";
import { showLedger } from "../plan/proposal.ts";
import { startKey } from "../plan/rail.ts";
import type { CallMessage } from "../tools/tool.ts";
import { findTool } from "../tools/tool-index.ts";
import { modelRef, toolMessage } from "./env.ts";
import { permissionsAhead, prepareCall } from "./prepare-call.ts";
import type { Turn } from "./turn.ts";

/** How a round ended. `halted`: the turn is detached, or the person stopped it. */
export type RoundEnd =
  /** `fault`: the mistake that all calls of the round have in common, without the parts that vary. */
  | { kind: "continues"; fault?: string | undefined }
  | { kind: "halted" }
  | { kind: "ends"; reason: "questions" | "permission" | "stop" | "proposed" };

interface Item {
  pending: PendingCall;
  prepared: Extract<PreparedCall, { kind: "runs" }> | Extract<PreparedCall, { kind: "settled" }>;
}

/**
 * Runs the calls of `message`. All calls share one request to the sandbox, up to a call whose success must be known
 * before the next one is prepared.
 */
export async function* runRound(
  turn: Turn,
  message: AssistantMessage,
  resumes?: Resumption,
): AsyncGenerator<TurnEvent, RoundEnd> {
  const calls = message.toolCalls ?? [];
  const context: CallMessage = {
    id: message.id,
    text: message.content,
    names: calls.map((call) => call.name),
  };
  const taken = { turnId: turn.env.request.turnId, resumes };
  const faults: string[] = [];
  let next = resumes?.from ?? 0;
  let end: Outcome["endsTurn"] | undefined;
  let skip: Skip | undefined;

  const asked = !turn.env.isOlder && !halted(turn) ? askFirst(turn, message, next, taken) : new Set<string>();

  // Take the snapshot first: if this answer begins a plan, undoing its first step must undo everything the answer writes.
  if (!halted(turn) && writesBesidePlan(turn, calls.slice(next)))
    yield* turn.runCalls([{ key: startKey(turn, turn.state.round), op: "snapshot", args: {} }]);

  while (next < calls.length) {
    if (halted(turn)) return { kind: "halted" };
    const segment: Item[] = [];
    let waits: Waits | undefined;
    let alone = false;
    while (next < calls.length && !alone && (skip === undefined || skip.readsContinue)) {
      const pending = pendingCall(message, next, taken);
      if (!pending) break;
      if (skip && !findTool(pending.call.name)?.reads) {
        segment.push({ pending, prepared: { kind: "settled", outcome: { ok: false, text: skip.text } } });
        next += 1;
        continue;
      }
      if (mustWait(turn, pending, segment)) break;
      const prepared = await prepareCall(turn, pending, context);
      if (prepared.kind === "waits") {
        waits = prepared;
        break;
      }
      segment.push({ pending, prepared });
      next += 1;
      // If it is not known whether a call ran, no later call begins until the person has decided.
      if (prepared.kind === "runs")
        alone = prepared.alone || prepared.calls.some(({ key }) => isUnknown(turn, key));
      else {
        if (prepared.outcome.malformed) {
          faults.push(prepared.outcome.text);
          yield* misfit(turn, pending.call);
        }
        skip ??= skipOf(prepared.outcome);
        end ??= prepared.outcome.endsTurn;
      }
    }
    const segmentEnd = yield* runSegment(turn, message, segment);
    if (segmentEnd.isInterrupted) return { kind: "halted" };
    if (segmentEnd.waits) return wait(turn, segmentEnd.waits, asked);
    skip ??= segmentEnd.skip;
    end ??= segmentEnd.end;
    if (waits) {
      // Permissions that were not asked ahead, because a step report came first, are asked together now.
      const more = turn.env.isOlder ? [] : permissionsAhead(turn, message, next, taken);
      return wait(turn, { ...waits, drafts: [...waits.drafts, ...more] }, asked);
    }
    if (skip !== undefined && !skip.readsContinue) {
      const { text } = skip;
      for (const call of calls.slice(next)) emitResult(turn, message, call, { ok: false, text });
      break;
    }
  }
  if (end) return { kind: "ends", reason: end };
  return {
    kind: "continues",
    fault: calls.length > 0 && faults.length === calls.length ? faultOf(faults) : undefined,
  };
}

/** Strip numbers, quoted text and positions, which differ even when a model repeats the same mistake. */
function faultOf(faults: readonly string[]): string {
  const [first = ""] = faults;
  return first.replace(/ (?:At character|Your answer was) [\s\S]*$/, "").replace(/"[^"]*"|\d+/g, "");
}

/** Whether the calls set a plan, which begins at once in auto mode, and also write files. */
function writesBesidePlan({ env, state }: Turn, calls: readonly ToolCall[]): boolean {
  const tools = calls.map(({ name }) => findTool(name));
  return (
    !env.isOlder &&
    state.mode === "auto" &&
    tools.some((tool) => tool?.name === "set_plan") &&
    tools.some((tool) => tool?.kind === "sandbox" && !tool.reads)
  );
}

/** Why later calls of an answer are not run, and whether calls that only read still are. */
interface Skip {
  text: string;
  readsContinue: boolean;
}

function skipOf({ endsRound, readsContinue, endsTurn }: Outcome): Skip | undefined {
  if (endsRound === undefined) return undefined;
  return { text: endsRound, readsContinue: readsContinue === true && endsTurn === undefined };
}

/** Counts arguments that are an object but do not fit the schema; anything else was counted when it was parsed. */
function* misfit(turn: Turn, { name, arguments: args }: ToolCall): Generator<TurnEvent> {
  if (turn.replays || !findTool(name)) return;
  const parsed = parseArguments(args);
  if (!parsed.ok || !isRecord(parsed.value)) return;
  const { provider, id } = modelRef(turn.env);
  yield { event: "diagnostic", data: { provider, model: id, kind: "fields", repaired: false } };
}

/**
 * Whether a call takes effect as soon as it is prepared although earlier calls have yet to run. A stop in between would
 * report that it did not run.
 */
function mustWait({ env }: Turn, { call }: PendingCall, before: readonly Item[]): boolean {
  const tool = findTool(call.name);
  const acts = tool?.kind === "engine" && !tool.reads;
  return !env.isOlder && acts && before.some(({ prepared }) => prepared.kind === "runs");
}

function isUnknown({ log }: Turn, key: string): boolean {
  return log.result(key)?.error?.code === "outcome_unknown";
}

/** Whether nothing new may begin. What the journal holds is still replayed. */
function halted({ env: { signals }, replays }: Turn): boolean {
  return (signals.stop.aborted || signals.detach.aborted) && !replays;
}

/** Asks about all calls that need permission. Returns the questions as JSON. */
function askFirst(
  turn: Turn,
  message: AssistantMessage,
  from: number,
  taken: { turnId: string; resumes?: Resumption | undefined },
): Set<string> {
  const drafts = permissionsAhead(turn, message, from, taken);
  for (const draft of drafts) turn.emit(draft);
  return new Set(drafts.map((draft) => JSON.stringify(draft)));
}

/** `asked`: questions of this round so far, which are not repeated. */
function wait(turn: Turn, waits: Waits, asked: ReadonlySet<string>): RoundEnd {
  const changes = new Set(
    waits.drafts.flatMap(({ event, data }) => (event === "permission" ? (data.change?.updates ?? []) : [])),
  );
  showLedger(turn, changes.size > 0 ? [...changes] : undefined);
  const known = new Set(asked);
  for (const draft of waits.drafts) {
    const words = JSON.stringify(draft);
    if (!known.has(words)) turn.emit(draft);
    known.add(words);
  }
  return { kind: "ends", reason: waits.reason };
}

/** How a segment of a round ended. */
interface SegmentEnd {
  /** The call that waits for the person; no later call of the segment has a result. */
  waits?: Waits;
  skip?: Skip | undefined;
  end?: Outcome["endsTurn"] | undefined;
  /** A helper was stopped or detached before it reported: the turn continues in another run. */
  isInterrupted?: true;
}

/** One request for all calls of the segment. Results are emitted in call order, each as soon as it can be. */
async function* runSegment(
  turn: Turn,
  message: AssistantMessage,
  segment: readonly Item[],
): AsyncGenerator<TurnEvent, SegmentEnd> {
  let done = 0;
  let waits: Waits | undefined;
  let skip: Skip | undefined;
  let end: Outcome["endsTurn"] | undefined;

  const take = (item: Item, outcome: Outcome | Waits, implied = false): void => {
    done += 1;
    if (outcome.kind === "waits") {
      waits = outcome;
      return;
    }
    emitResult(turn, message, item.pending.call, outcome, implied);
    skip ??= skipOf(outcome);
    end ??= outcome.endsTurn;
  };
  /** Emits complete results from the front; stops at a call that needs more requests or waits for the person. */
  function* advance(): Generator<TurnEvent> {
    for (let item = segment[done]; item && !waits; item = segment[done]) {
      if (item.prepared.kind === "settled") take(item, item.prepared.outcome);
      else {
        const { calls, finish } = item.prepared;
        const results = calls.map((call) => turn.log.result(call.key));
        // Do not show a withheld result yet: a stop or another runner decides what becomes of it.
        if (finish.kind !== "now" || !results.every(isSettled)) break;
        take(item, finish.outcome(results), true);
      }
    }
    yield* turn.log.takeUnsent();
  }

  const calls = segment.flatMap(({ pending, prepared }) =>
    prepared.kind === "runs" ? prepared.calls.map((call) => ({ ...call, toolCallId: pending.call.id })) : [],
  );
  // Settled calls need no request of their own: their results are journaled with the next one.
  for (let item = segment[done]; item?.prepared.kind === "settled"; item = segment[done])
    take(item, item.prepared.outcome);
  if (calls.length > 0) yield* turn.runCalls(calls, { onResult: advance });
  for (let item = segment[done]; item && !waits; item = segment[done]) {
    if (item.prepared.kind === "settled") take(item, item.prepared.outcome);
    else {
      const results = item.prepared.calls
        .map((call) => turn.log.result(call.key))
        .filter((result) => result !== undefined);
      const { finish } = item.prepared;
      if (finish.kind === "explore") {
        const { explore } = await import("../explore/explore.ts");
        const report = yield* explore(turn, message, item.pending);
        if (!report) return { isInterrupted: true, skip };
        take(item, report);
        continue;
      }
      const outcome = finish.kind === "now" ? finish.outcome(results) : yield* finish.outcome(results);
      take(item, outcome);
      if (!outcome.kind && outcome.journaledAtOnce) yield* turn.journalStaged();
    }
  }
  return { ...(waits ? { waits } : {}), skip, end };
}

function isSettled(result: CallResult | undefined): result is CallResult {
  return result !== undefined && !result.hold;
}

function emitResult(
  turn: Turn,
  message: AssistantMessage,
  call: { id: string; name: string },
  outcome: Outcome,
  implied = false,
): void {
  const { mode, round } = turn.state;
  const result = toolMessage({ context: turn.env.context, mode, round }, message, call, outcome);
  turn.emit({ event: "message", data: { message: result } }, implied);
  for (const draft of outcome.after ?? []) turn.emit(draft);
}
