// The calls of one assistant message, in order, up to the first that waits: gates, requests to the sandbox, results.
import type { TurnEvent } from "../../shared/event.ts";
import type { AssistantMessage, ToolCall, ToolMessage } from "../../shared/message.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import { type CallContext, showLedger } from "../plan/exit-plan.ts";
import { parseArguments } from "../tools/arguments.ts";
import { isToolName } from "../tools/definitions.ts";
import { runCalls } from "../turn/commit.ts";
import type { Outcome, PendingCall, Prepared, Waits } from "../turn/prepared.ts";
import { emit, modelRef, originOfMessage, type TurnState } from "../turn/turn-state.ts";
import { resultMeta } from "./budget.ts";
import { sized } from "./messages.ts";
import { prepareCall } from "./prepare-call.ts";
import type { Resumption } from "./resumption.ts";

/** How a round left the turn. */
export type RoundEnd =
  | { kind: "goes_on"; malformed: boolean }
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
  resume: Resumption = { from: 0 },
): AsyncGenerator<TurnEvent, RoundEnd> {
  const calls = message.toolCalls ?? [];
  const context: CallContext = {
    text: message.content,
    messageId: message.id,
    names: calls.map((call) => call.name),
  };
  const origin = originOfMessage(message.id) ?? { turnId: state.request.turnId, round: state.round };
  let malformed = 0;
  let next = resume.from;
  let end: Outcome["endsTurn"] | undefined;
  let skip: string | undefined;

  while (next < calls.length) {
    const segment: Item[] = [];
    let waits: Waits | undefined;
    let alone = false;
    while (next < calls.length && !alone && skip === undefined) {
      const call = calls[next];
      if (!call) break;
      const ordinal = next;
      const pending: PendingCall = {
        call,
        key: `${origin.turnId}/${origin.round}/${ordinal}${ordinal === resume.permitted ? (resume.suffix ?? "") : ""}`,
        at: message.createdAt,
        permitted: ordinal === resume.permitted,
      };
      const prepared = await prepareCall(state, pending, context);
      if (prepared.kind === "waits") {
        waits = prepared;
        break;
      }
      segment.push({ pending, prepared });
      next += 1;
      if (prepared.kind === "runs") alone = prepared.alone;
      else {
        if (prepared.outcome.malformed) {
          malformed += 1;
          yield* misfit(state, call);
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
      for (const call of calls.slice(next))
        emitResult(state, message, call.id, call.name, { ok: false, text: skip });
      break;
    }
  }
  if (end) return { kind: "ends", reason: end };
  return { kind: "goes_on", malformed: calls.length > 0 && malformed === calls.length };
}

/** Arguments that parse and do not fit are counted here; what does not parse was counted as it came in. */
function* misfit(state: TurnState, { name, arguments: args }: ToolCall): Generator<TurnEvent> {
  const replayed = state.log.peek() !== undefined;
  if (replayed || !isToolName(name) || !parseArguments(name, args).ok) return;
  const { provider, id } = modelRef(state);
  yield { event: "diagnostic", data: { provider, model: id, kind: "fields", repaired: false } };
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

  const take = (item: Item, outcome: Outcome | Waits): void => {
    done += 1;
    if (outcome.kind === "waits") {
      waits = outcome;
      return;
    }
    emitResult(state, message, item.pending.call.id, item.pending.call.name, outcome);
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
        take(item, finish.outcome(results));
      }
    }
    yield* state.log.takeUnsent();
  }

  const calls = segment.flatMap(({ pending, prepared }) =>
    prepared.kind === "runs" ? prepared.calls.map((call) => ({ ...call, toolCallId: pending.call.id })) : [],
  );
  // Settled calls need no request of their own: what they leave behind is journaled with the next one.
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

/** The tool message of a call: a pure function of what is recorded. */
function emitResult(
  state: TurnState,
  message: AssistantMessage,
  toolCallId: string,
  name: string,
  outcome: Outcome,
): void {
  const result: ToolMessage = {
    id: `${toolCallId}.result`.slice(0, 300),
    role: "tool",
    content: sized(outcome.text),
    createdAt: outcome.at ?? message.createdAt,
    mode: state.mode,
    toolCallId,
    name,
    ok: outcome.ok,
    ...(outcome.noMeta
      ? {}
      : {
          meta: {
            ...resultMeta(state, message, outcome.text),
            ...(outcome.facts ? { facts: outcome.facts } : {}),
          },
        }),
  };
  emit(state, { event: "message", data: { message: result } });
  for (const draft of outcome.after ?? []) emit(state, draft);
}
