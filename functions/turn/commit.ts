// The one request of a round to the sandbox: journal what is new, run the calls, pass on what comes back.

import { HandrailError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import type { Mode } from "../../shared/mode.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import type { KeyedCall } from "../tools/prepared.ts";
import type { TurnState } from "./state.ts";

/** Durable events that wait to be sent; they leave once nothing before them can be lost. */
export function* flush(state: TurnState): Generator<TurnEvent> {
  yield* state.log.takeUnsent();
}

/** Journals everything staged; sends it. Does nothing where all of it is journaled already. */
export async function* commit(state: TurnState): AsyncGenerator<TurnEvent> {
  yield* runCalls(state, []);
}

/** What a batch of calls is told besides the calls. */
interface Batch {
  /** Default: what the mode allows. */
  access?: "readonly" | "write";
  /** Asked after each result; may stage and send what follows from the results so far. */
  onResult?(): Generator<TurnEvent>;
}

/**
 * Journals what is staged and runs `calls` in one request. Staged events are sent once they are recorded.
 * Results that the journal holds already are not asked for again.
 * Throws HandrailError: `sandbox_unreachable`, or 409 codes where the turn was fenced, stopped or finished.
 */
export async function* runCalls(
  state: TurnState,
  calls: readonly (KeyedCall & { toolCallId?: string })[],
  { access = accessOf(state.mode), onResult }: Batch = {},
): AsyncGenerator<TurnEvent, CallResult[]> {
  const { log, deps, request } = state;
  const record = log.unrecorded.map(({ id, event, data }) => ({ id, event, data }));
  if (record.length === 0) yield* flush(state);
  if (record.length > 0 || calls.some((call) => !log.result(call.key))) {
    const owner = new Map(calls.map((call) => [call.key, call.toolCallId]));
    const lastId = record.at(-1)?.id ?? 0;
    const held: CallResult[] = [];
    state.used.subrequests += 1;
    const lines = deps.sandbox.calls(request.sandboxId, {
      access,
      turn: { id: request.turnId, epoch: request.attempt, round: state.round, record },
      calls: calls.map(({ key, op, args }) => ({ key, op, args })),
    });
    for await (const line of lines) {
      if (line.type === "recorded") {
        log.markRecorded(lastId);
        yield* flush(state);
      } else if (line.type === "output") {
        const toolCallId = owner.get(line.key);
        if (toolCallId !== undefined) {
          yield {
            event: "tool.output",
            data: { toolCallId, stream: line.stream, offset: line.offset, text: line.text },
          };
        }
      } else if (line.type === "result") {
        const { type: _, ...result } = line;
        log.addResult(result);
        if (result.hold) held.push(result);
        if (onResult) yield* onResult();
      }
    }
    if (!state.signals.stop.aborted) checkHeld(held);
    // A server that had nothing to record need not say so.
    log.markRecorded(lastId);
  }
  yield* flush(state);
  return calls.map((call) => log.result(call.key) ?? missingResult(call.key));
}

/** Throws where calls were refused because the turn, or the server, is not ours any more: that is no result. */
function checkHeld(held: readonly CallResult[]): void {
  const fence = held.find(({ error }) => error?.code === "stale_epoch" || error?.code === "stopped")?.error;
  if (!fence) return;
  if (fence.code === "stale_epoch") throw new HandrailError("stale_epoch", fence.message);
  throw new HandrailError(fence.retryable ? "sandbox_unreachable" : "turn_finished", fence.message);
}

function missingResult(key: string): CallResult {
  return {
    key,
    ok: false,
    error: {
      code: "outcome_unknown",
      message: "The sandbox gave no result for this call.",
      retryable: false,
    },
    replayed: false,
    hold: true,
    at: 0,
    ms: 0,
  };
}

/** Access of a batch in `mode`: the sandbox enforces it whatever else was believed here. */
function accessOf(mode: Mode): "readonly" | "write" {
  return mode === "plan" ? "readonly" : "write";
}
