// The calls of one assistant message, in order, up to the first that waits: gates, requests to the sandbox, results.
import type { TurnEvent } from "../../shared/event.ts";
import { isRecord } from "../../shared/is-record.ts";
import type { AssistantMessage, ToolCall } from "../../shared/message.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import { showLedger } from "../plan/proposal.ts";
import { parseArguments } from "../tools/parse-arguments.ts";
import type { Outcome, PendingCall, Prepared, Waits } from "../tools/prepared.ts";
import type { CallMessage } from "../tools/tool.ts";
import { findTool } from "../tools/tool-index.ts";
import { runCalls } from "./commit.ts";
import { pendingCall } from "./pending-call.ts";
import { prepareCall } from "./prepare-call.ts";
import { emit, modelRef, type TurnState } from "./state.ts";
import { toolMessage } from "./tool-message.ts";
import type { Resumption } from "./turn-context.ts";

/** How a round left the turn. `halted`: the host has to leave, or the person stopped it. */
export type RoundEnd =
  | { kind: "goes_on"; malformed: boolean }
  | { kind: "halted" }
  | { kind: "ends"; reason: "questions" | "permission" | "stop" | "proposed" };

interface Item {
  pending: PendingCall;
  prepared: Extract<Prepared, { kind: "runs" }> | Extract<Prepared, { kind: "settled" }>;
}

/**
 * Runs the calls of `message`. Everything that can share a request does: reads and changes up to a call
 * that must be known to have worked before the next one is looked at.
 */
export async function* runRound(
  state: TurnState,
  message: AssistantMessage,
  resumes?: Resumption,
): AsyncGenerator<TurnEvent, RoundEnd> {
  const calls = message.toolCalls ?? [];
  const context: CallMessage = {
    id: message.id,
    text: message.content,
    names: calls.map((call) => call.name),
  };
  const turn = { turnId: state.request.turnId, resumes };
  let malformed = 0;
  let next = resumes?.from ?? 0;
  let end: Outcome["endsTurn"] | undefined;
  let skip: string | undefined;

  while (next < calls.length) {
    if (halted(state)) return { kind: "halted" };
    const segment: Item[] = [];
    let waits: Waits | undefined;
    let alone = false;
    while (next < calls.length && !alone && skip === undefined) {
      const pending = pendingCall(message, next, turn);
      if (!pending) break;
      const prepared = await prepareCall(state, pending, context);
      if (prepared.kind === "waits") {
        waits = prepared;
        break;
      }
      segment.push({ pending, prepared });
      next += 1;
      // Behind a call of which nobody knows whether it ran, nothing begins before the person has said.
      if (prepared.kind === "runs")
        alone = prepared.alone || prepared.calls.some(({ key }) => isUnknown(state, key));
      else {
        if (prepared.outcome.malformed) {
          malformed += 1;
          yield* misfit(state, pending.call);
        }
        skip = prepared.outcome.endsRound;
        end ??= prepared.outcome.endsTurn;
      }
    }
    const left = yield* runSegment(state, message, segment);
    if (left.waits) return wait(state, left.waits);
    skip ??= left.skip;
    end ??= left.end;
    if (waits) return wait(state, waits);
    if (skip !== undefined) {
      for (const call of calls.slice(next)) emitResult(state, message, call, { ok: false, text: skip });
      break;
    }
  }
  if (end) return { kind: "ends", reason: end };
  return { kind: "goes_on", malformed: calls.length > 0 && malformed === calls.length };
}

/** An object that does not fit is counted here; what is none was counted as it came in. */
function* misfit(state: TurnState, { name, arguments: args }: ToolCall): Generator<TurnEvent> {
  const replayed = state.log.peek() !== undefined;
  if (replayed || !findTool(name)) return;
  const parsed = parseArguments(name, args);
  if (!parsed.ok || !isRecord(parsed.value)) return;
  const { provider, id } = modelRef(state);
  yield { event: "diagnostic", data: { provider, model: id, kind: "fields", repaired: false } };
}

function isUnknown({ log }: TurnState, key: string): boolean {
  return log.result(key)?.error?.code === "outcome_unknown";
}

/** Whether nothing new may begin. What the journal holds is gone through all the same: it is only told again. */
function halted({ signals, log }: TurnState): boolean {
  return (signals.stop.aborted || signals.leave.aborted) && !log.peek();
}

function wait(state: TurnState, waits: Waits): RoundEnd {
  showLedger(state);
  for (const draft of waits.drafts) emit(state, draft);
  return { kind: "ends", reason: waits.reason };
}

/** One request for all calls of the segment; results are handed on in order, as soon as they can be. */
async function* runSegment(
  state: TurnState,
  message: AssistantMessage,
  segment: readonly Item[],
): AsyncGenerator<
  TurnEvent,
  { waits?: Waits; skip?: string | undefined; end?: Outcome["endsTurn"] | undefined }
> {
  let done = 0;
  let waits: Waits | undefined;
  let skip: string | undefined;
  let end: Outcome["endsTurn"] | undefined;

  const take = (item: Item, outcome: Outcome | Waits, implied = false): void => {
    done += 1;
    if (outcome.kind === "waits") {
      waits = outcome;
      return;
    }
    emitResult(state, message, item.pending.call, outcome, implied);
    skip ??= outcome.endsRound;
    end ??= outcome.endsTurn;
  };
  /** Hands on what is complete from the front; stops at what needs more requests or waits. */
  function* advance(): Generator<TurnEvent> {
    for (let item = segment[done]; item && !waits; item = segment[done]) {
      if (item.prepared.kind === "settled") take(item, item.prepared.outcome);
      else {
        const { calls, finish } = item.prepared;
        const results = calls.map((call) => state.log.result(call.key));
        if (finish.kind === "later" || !results.every((result): result is CallResult => result !== undefined))
          break;
        take(
          item,
          finish.outcome(results),
          results.every(({ hold }) => !hold),
        );
      }
    }
    yield* state.log.takeUnsent();
  }

  const calls = segment.flatMap(({ pending, prepared }) =>
    prepared.kind === "runs" ? prepared.calls.map((call) => ({ ...call, toolCallId: pending.call.id })) : [],
  );
  // Settled calls need no request of their own: what they leave behind is journaled with the next one.
  for (let item = segment[done]; item?.prepared.kind === "settled"; item = segment[done])
    take(item, item.prepared.outcome);
  if (calls.length > 0) yield* runCalls(state, calls, { onResult: advance });
  for (let item = segment[done]; item && !waits; item = segment[done]) {
    if (item.prepared.kind === "settled") take(item, item.prepared.outcome);
    else {
      const results = item.prepared.calls
        .map((call) => state.log.result(call.key))
        .filter((result) => result !== undefined);
      const { finish } = item.prepared;
      take(item, finish.kind === "now" ? finish.outcome(results) : yield* finish.outcome(results));
    }
  }
  return { ...(waits ? { waits } : {}), skip, end };
}

function emitResult(
  state: TurnState,
  message: AssistantMessage,
  call: { id: string; name: string },
  outcome: Outcome,
  implied = false,
): void {
  emit(state, { event: "message", data: { message: toolMessage(state, message, call, outcome) } }, implied);
  for (const draft of outcome.after ?? []) emit(state, draft);
}
