// One turn from its opening to its last event: rounds, then the ending. Run again after any interruption, it goes the
// same way over the journal and takes up where that ends. Knows no HTTP.
import { HandrailError, toHandrailError, traceOf } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import type { AssistantMessage, Message } from "../../shared/message.ts";
import { lastSummary } from "../context/summary.ts";
import type { Opening } from "../inputs/opening.ts";
import { limits } from "../limits.ts";
import { readFallback } from "../model/fallback.ts";
import { hides } from "../plan/hidden-commands.ts";
import { propose, showLedger, startRun, textStopProposes } from "../plan/proposal.ts";
import { rewind } from "../plan/rewind.ts";
import { askModel } from "./ask-model.ts";
import { budgetUsedUp, checkSpending } from "./budget.ts";
import { commit, flush } from "./commit.ts";
import { endStopped } from "./end-stopped.ts";
import { type RoundEnd, runRound } from "./round.ts";
import { emit, modelRef, type TurnState } from "./state.ts";
import { afterEmptyAnswer } from "./text-stop.ts";

/** Throws HandrailError where the turn is not this runner's to end any more. */
export async function* runTurn(state: TurnState, opening: Opening): AsyncGenerator<TurnEvent> {
  for (const draft of opening.drafts) {
    const event = emit(state, draft);
    if (event.event === "turn.started") {
      state.mode = event.data.mode;
      state.toolProtocol = event.data.toolProtocol;
    }
  }
  yield* flush(state);
  if (opening.prelude.kind === "ends") return;
  state.ledger = opening.ledger;
  state.run = opening.run ?? state.run;
  try {
    const end = yield* rounds(state, opening);
    if (end === "left") return;
    if (end === "stopped") endStopped(state);
    else {
      if (end === "proposed") propose(state);
      showLedger(state);
      emit(state, { event: "turn.done", data: { reason: end, rounds: state.round } });
    }
  } catch (error) {
    if (endsElsewhere(error)) {
      // A stop fences the turn in the sandbox: what was refused there is ended here.
      if (!state.signals.stop.aborted) throw error;
      endStopped(state);
    } else fail(state, error);
  }
  yield* commit(state);
}

/** Failures of the model, and of ours, end the turn in words; the input is in the history. */
function fail(state: TurnState, error: unknown): void {
  const failure = toHandrailError(error);
  if (failure.code === "internal") {
    const trace = traceOf(error);
    state.deps.log({ event: "turn_error", turnId: state.request.turnId, ...modelRef(state), trace });
  }
  showLedger(state);
  emit(state, { event: "turn.failed", data: { error: failure.toInfo(state.requestId) } });
}

/** The sandbox is away, or the turn is not ours to end any more. */
function endsElsewhere(error: unknown): boolean {
  return (
    error instanceof HandrailError &&
    ["sandbox_unreachable", "stale_epoch", "turn_finished", "key_reused"].includes(error.code)
  );
}

type End = Extract<RoundEnd, { kind: "ends" }>["reason"] | "continue" | "stopped" | "left";

/** Rounds until the turn has an end. Throws what the model or the sandbox fails with. */
async function* rounds(state: TurnState, { prelude }: Opening): AsyncGenerator<TurnEvent, End> {
  const { signals } = state;
  if (prelude.kind === "rewind") {
    if (signals.stop.aborted) return "stopped";
    if (signals.leave.aborted) return "left";
    yield* rewind(state, prelude.snapshot);
    return stopsHere(state) ? "stopped" : "stop";
  }
  if (prelude.kind === "resume") {
    const end = yield* runRound(state, prelude.resumes.message, prelude.resumes);
    if (stopsHere(state)) return "stopped";
    if (end.kind === "halted") return "left";
    if (end.kind === "ends") return end.reason;
  }
  for (;;) {
    const recorded = state.log.peek();
    if (!recorded) {
      if (signals.stop.aborted) return "stopped";
      if (signals.leave.aborted) return "left";
      checkSpending(state);
      if (budgetUsedUp(state)) return "continue";
    }
    const message = yield* nextMessage(state);
    if (!message) return "left";
    state.round += 1;
    if (message.finish === "aborted") return "stopped";
    const end =
      (message.toolCalls?.length ?? 0) > 0
        ? yield* runRound(state, message)
        : yield* textStop(state, message);
    if (stopsHere(state)) return "stopped";
    if (end.kind === "halted") return "left";
    if (end.kind === "ends") {
      // What does not show whole is not started by a word that was given before it was there.
      if (end.reason !== "proposed" || !state.run || hides(state.plan)) return end.reason;
      startRun(state, state.run, message.createdAt);
      continue;
    }
    state.badRounds = end.malformed ? state.badRounds + 1 : 0;
    if (state.badRounds >= limits.maxBadRounds) {
      const does = message.toolCalls
        ? "keeps calling tools that do not exist, or in a form that cannot be read"
        : "keeps answering with nothing";
      throw new HandrailError("model_error", `The model ${does}. Try again, or choose another model.`, {
        retryable: true,
      });
    }
  }
}

/** Stopped, and the journal is told to its end: an ending before that would meet recorded events in its place. */
function stopsHere({ signals, log }: TurnState): boolean {
  return signals.stop.aborted && !log.peek();
}

/** The recorded message of the next round, or a new sampling. Undefined where the host has to leave. */
async function* nextMessage(state: TurnState): AsyncGenerator<TurnEvent, AssistantMessage | undefined> {
  let recorded = state.log.peek();
  // What the provider refused, and what the model summed up, stands before the message that was sampled with it.
  while (recorded?.event === "message" && standsBefore(recorded.data.message)) {
    emit(state, recorded);
    recorded = state.log.peek();
  }
  if (recorded?.event === "message" && recorded.data.message.role === "assistant") {
    emit(state, recorded);
    return recorded.data.message;
  }
  const sampled = yield* askModel(state);
  if (!sampled) return undefined;
  const { message, stopped } = sampled;
  const empty = message.content === "" && message.reasoning === undefined;
  if (!stopped || !empty) emit(state, { event: "message", data: { message } });
  return message;
}

function standsBefore(message: Message): boolean {
  return readFallback(message) !== undefined || lastSummary([message]) !== undefined;
}

async function* textStop(state: TurnState, message: AssistantMessage): AsyncGenerator<TurnEvent, RoundEnd> {
  if (state.mode === "plan" && message.finish === "stop" && (await textStopProposes(state, message)))
    return { kind: "ends", reason: "proposed" };
  if (message.content.trim() === "") return yield* afterEmptyAnswer(state, message);
  return { kind: "ends", reason: "stop" };
}
