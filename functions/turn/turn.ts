// One turn as it runs: what is fixed (`env`), and what changes (`state`, folded from its durable events as they are
// staged, so that it is the same in every run). `emit` stages an event in the replay log and applies it to the state;
// `runCalls` journals what is staged in one request to the sandbox.
import { type ErrorCode, HandrailError } from "../../shared/errors.ts";
import type { DurableDraft, DurableEvent, ToolProtocol, TurnEvent } from "../../shared/event.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { withStep } from "../../shared/plan/steps.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import type { KeyedCall } from "../calls/prepared.ts";
import {
  type BatchOptions,
  type EventDraft,
  eventMessage,
  type ToolState,
  type ToolTurn,
} from "../calls/tool-turn.ts";
import { readFallback } from "../model/fallback.ts";
import type { Refused } from "../model/provider.ts";
import type { TurnEnv } from "./env.ts";
import type { ReplayLog } from "./replay-log.ts";
import { callStarted, endedEarly, ShownOutput } from "./told.ts";

export class Turn implements ToolTurn {
  readonly env: TurnEnv;
  readonly state: LoopState;
  readonly log: ReplayLog;
  /** What this run of the turn has used so far. `retries`: requests to the model beyond one per round. */
  readonly used = {
    // The claim, and what may precede it: the check for outside changes, and the scan.
    subrequests: 3,
    retries: 0,
  };

  constructor(env: TurnEnv, state: LoopState, log: ReplayLog) {
    this.env = env;
    this.state = state;
    this.log = log;
  }

  /** Like `fetch`; counts the requests. */
  readonly fetch: typeof fetch = (input, init) => {
    this.used.subrequests += 1;
    return this.env.deps.fetch(input, init);
  };

  /** Stages a draft and applies what it says to the state. `implied`: see ReplayLog.stage. */
  emit(draft: DurableDraft, implied = false): DurableEvent {
    const event = this.log.stage(draft, implied);
    apply(this.state, event);
    return event;
  }

  note(from: EventDraft): void {
    this.emit({ event: "message", data: { message: eventMessage(this.state, from) } });
  }

  began(key: string): boolean {
    return this.log.began(key);
  }

  /** Whether the journal holds what comes next: it happened in an earlier run of this turn. */
  get replays(): boolean {
    return this.log.peek() !== undefined;
  }

  /** Journals everything staged; sends it. Does nothing if all of it is journaled already. */
  async *journalStaged(): AsyncGenerator<TurnEvent> {
    yield* this.runCalls([]);
  }

  /**
   * Journals what is staged and runs `calls` in one request. Staged events are sent once they are recorded. Results
   * that the journal holds already are not asked for again. Throws HandrailError: `sandbox_unreachable`, or 409 codes
   * if the turn was fenced, stopped or finished.
   */
  async *runCalls(
    calls: readonly KeyedCall[],
    { access = accessOf(this.state.mode), onResult }: BatchOptions = {},
  ): AsyncGenerator<TurnEvent, CallResult[]> {
    const { log, env, state } = this;
    const { sandboxId, turnId, attempt } = env.request;
    const record = log.unrecorded.map(({ id, event, data }) => ({ id, event, data }));
    // If the client has seen more than the journal holds, run nothing a second time.
    const missing = calls.filter((call) => !log.result(call.key));
    if (missing.length > 0) log.checkSeen(calls.length - missing.length);
    if (record.length === 0) yield* log.takeUnsent();
    if (record.length > 0 || missing.length > 0) {
      const named = new Map(calls.map((call) => [call.key, call]));
      const lastId = record.at(-1)?.id ?? 0;
      const withheld: CallResult[] = [];
      const output = new ShownOutput(env.redactors.own);
      this.used.subrequests += 1;
      const lines = env.deps.sandbox.calls(sandboxId, {
        access,
        turn: { id: turnId, epoch: attempt, round: state.round, record },
        calls: calls.map(({ key, op, args }) => ({ key, op, args })),
      });
      for await (const line of lines) {
        if (line.type === "recorded") {
          log.markRecorded(lastId);
          yield* log.takeUnsent();
        } else if (line.type === "output") {
          const toolCallId = named.get(line.key)?.toolCallId;
          const shown = toolCallId === undefined ? undefined : output.event(toolCallId, line);
          if (shown) yield shown;
        } else if (line.type === "started") {
          log.markBegun(line.key);
          const call = named.get(line.key);
          const started = call?.toolCallId && callStarted(call.toolCallId, call, line.at);
          if (started) yield started;
        } else if (line.type === "result") {
          const { type: _, ...result } = line;
          log.addResult(result);
          if (result.hold) withheld.push(result);
          const ended = endedEarly(result, named.get(result.key)?.toolCallId);
          if (ended) yield ended;
          if (onResult) yield* onResult();
        }
      }
      // Ignore results that arrive after a stop: the ending describes those calls from the journal alone.
      if (env.signals.stop.aborted && withheld.length > 0)
        throw new HandrailError("turn_finished", "The turn was stopped while this ran.");
      throwIfLost(withheld);
      // The server omits the `recorded` line if there was nothing to record.
      log.markRecorded(lastId);
    }
    yield* log.takeUnsent();
    return calls.map((call) => log.result(call.key) ?? missingResult(call.key));
  }
}

/** What calls may do in `mode`. The sandbox enforces it, whatever this process assumes. */
function accessOf(mode: Mode): "readonly" | "write" {
  return mode === "plan" ? "readonly" : "write";
}

/** Throws if calls were refused because this runner lost the turn, or because the server is shutting down or cannot write. */
function throwIfLost(withheld: readonly CallResult[]): void {
  const refusal = withheld.find(({ error }) => error !== undefined && lost.has(error.code))?.error;
  if (!refusal) return;
  if (refusal.code !== "stopped")
    throw new HandrailError(refusal.code, refusal.message, { retryable: refusal.retryable ?? false });
  throw new HandrailError(refusal.retryable ? "sandbox_unreachable" : "turn_finished", refusal.message);
}

const lost: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["stale_epoch", "stopped", "disk_full"]);

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

interface LoopState extends ToolState {
  /** Rounds sampled in this turn so far. */
  round: number;
  toolProtocol: ToolProtocol;
  /** What requests to this model leave out. */
  readonly omit: Set<Refused>;
}

function apply(state: LoopState, event: DurableEvent): void {
  state.plan = planAfter(state.plan, event);
  switch (event.event) {
    case "turn.started":
      state.mode = event.data.mode;
      state.toolProtocol = event.data.toolProtocol;
      break;
    case "message": {
      const { message } = event.data;
      state.history.push(message);
      const fallback = readFallback(message);
      if (fallback?.part === "tools") state.toolProtocol = "text";
      if (fallback?.part === "images") state.omit.add("images");
      break;
    }
    case "mode":
      state.mode = event.data.to;
      break;
    default:
  }
}

/** The plan file once `event` has happened. */
export function planAfter(plan: Plan | null, event: DurableDraft): Plan | null {
  if (event.event === "plan") return event.data.plan;
  if (event.event !== "step" || !plan) return plan;
  const { stepId, ...patch } = event.data;
  return withStep(plan, stepId, patch);
}
