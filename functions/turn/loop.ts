// The loop of a turn: opening, rounds, ending. After an interruption it runs again from the start, replays what the
// journal holds, and continues from there. Steering messages join the history between two answers of the model, once,
// and at the same place in every run. Does not know HTTP.
import { type ErrorCode, HandrailError, toHandrailError, traceOf } from "../../shared/errors.ts";
import type { DurableDraft, TurnEvent } from "../../shared/event.ts";
import type { Steer } from "../../shared/journal.ts";
import type { AssistantMessage, Message } from "../../shared/message.ts";
import { steerMessageId } from "../../shared/turn.ts";
import { lastSummary } from "../compaction/model-summary.ts";
import { foreignTools } from "../context/mode-switch.ts";
import { userMessage } from "../inputs/messages.ts";
import type { Opening } from "../inputs/opening.ts";
import * as limits from "../limits.ts";
import { readFallback } from "../model/fallback.ts";
import { needsNoReview } from "../plan/history-facts.ts";
import { keepOnRail } from "../plan/keep-on-rail.ts";
import { asksOpenPoints, propose, showLedger, startRun } from "../plan/proposal.ts";
import { stepsLeft } from "../plan/rail.ts";
import { rewind } from "../plan/restore.ts";
import { visibleTools } from "../tools/offered-tools.ts";
import { askModel } from "./ask-model.ts";
import { budgetEnd, checkSpending, checkUnattended } from "./budget.ts";
import { modelRef } from "./env.ts";
import { type RoundEnd, runRound } from "./round.ts";
import { tellUnread, textStop } from "./text-stop.ts";
import type { Turn } from "./turn.ts";

/** Throws HandrailError if this runner may no longer end the turn. */
export async function* runTurn(turn: Turn, opening: Opening): AsyncGenerator<TurnEvent> {
  for (const draft of openingOf(turn, opening)) turn.emit(draft);
  yield* turn.log.takeUnsent();
  if (opening.prelude.kind === "ends") return;
  try {
    const end = yield* rounds(turn, opening);
    if (end === "detached") return;
    if (end === "stopped") await endStopped(turn);
    else {
      if (end === "proposed") propose(turn);
      showLedger(turn);
      const steps = stepsLeft(turn);
      turn.emit({
        event: "turn.done",
        data: { reason: end, rounds: turn.state.round, ...(end === "stop" && steps ? { steps } : {}) },
      });
    }
  } catch (error) {
    if (endsElsewhere(error)) {
      // A stop fences the turn in the sandbox, which refused a call; the turn is still ended here.
      if (!turn.env.signals.stop.aborted) throw error;
      await endStopped(turn);
    } else fail(turn, error);
  }
  yield* turn.journalStaged();
}

/** Loaded when it is needed: few turns are stopped. */
async function endStopped(turn: Turn): Promise<void> {
  const { stageStopped } = await import("./end-stopped.ts");
  stageStopped(turn);
}

/**
 * The drafts, or the events that the first claim recorded in their place: this version may make others from the same
 * request.
 */
function* openingOf({ env, log }: Turn, { drafts }: Opening): Generator<DurableDraft> {
  const count = log.peek() === undefined ? undefined : env.context.opening;
  for (let index = 0; index < (count ?? drafts.length); index += 1) {
    const draft = count === undefined ? drafts[index] : log.peek();
    if (draft) yield draft;
  }
}

/** A failure of the model or a bug ends the turn with an error event; the input stays in the history. */
function fail(turn: Turn, error: unknown): void {
  const { deps, request, requestId } = turn.env;
  const failure = toHandrailError(error);
  if (failure.code === "internal")
    deps.log({
      event: "turn_error",
      turnId: request.turnId,
      ...modelRef(turn.env),
      trace: traceOf(error),
    });
  showLedger(turn);
  turn.emit({ event: "turn.failed", data: { error: failure.toInfo(requestId) } });
}

const elsewhere: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "sandbox_unreachable",
  "stale_epoch",
  "turn_finished",
  "key_reused",
  "history_differs",
  "not_kept",
  "disk_full",
]);

/** The sandbox cannot be reached or cannot write, or another runner has the turn. */
function endsElsewhere(error: unknown): boolean {
  return error instanceof HandrailError && elsewhere.has(error.code);
}

type End = Extract<RoundEnd, { kind: "ends" }>["reason"] | "continue" | "stopped" | "detached";

/** Runs rounds until the turn ends. Rethrows errors of the model and the sandbox. */
async function* rounds(turn: Turn, { prelude }: Opening): AsyncGenerator<TurnEvent, End> {
  const { env, state } = turn;
  const { stop, detach } = env.signals;
  if (prelude.kind === "rewind") {
    if (stop.aborted) return "stopped";
    if (detach.aborted) return "detached";
    yield* rewind(turn, { snapshot: prelude.snapshot, rewinding: env.context.rewind }, stop);
    return stopsHere(turn) ? "stopped" : "stop";
  }
  if (prelude.kind === "close") {
    if (stop.aborted) return "stopped";
    if (detach.aborted) return "detached";
    const { closePlan } = await import("../plan/finish-plan.ts");
    yield* closePlan(turn, prelude.as);
    return stopsHere(turn) ? "stopped" : "stop";
  }
  const { hooks } = env;
  if (hooks && (turn.replays || !stop.aborted)) yield* hooks.begins(turn);
  if (prelude.kind === "resume") {
    const end = yield* runRound(turn, prelude.resumes.message, prelude.resumes);
    if (stopsHere(turn)) return "stopped";
    if (end.kind === "halted") return "detached";
    if (end.kind === "ends") return end.reason;
  }
  const faults = new Map<string, number>();
  for (;;) {
    replaySteers(turn);
    if (!turn.replays) {
      if (stop.aborted) return "stopped";
      if (detach.aborted) return "detached";
      const end = budgetEnd(turn);
      if (end !== undefined) return end;
      checkSpending(turn);
      checkUnattended(turn);
      yield* takeSteers(turn);
    }
    // If a hook fails at the end, the model reads about it in this turn, once.
    if ((yield* keepOnRail(turn, state.round)) && !(hooks && (yield* hooks.ends(turn)))) return "stop";
    if (hooks) yield* hooks.steps(turn);
    const message = recordedAnswer(turn) ?? (yield* askModel(turn));
    if (!message) return "detached";
    state.round += 1;
    if (message.finish === "aborted") return "stopped";
    const end =
      (message.toolCalls?.length ?? 0) > 0 ? yield* runRound(turn, message) : yield* textStop(turn, message);
    if (stopsHere(turn)) return "stopped";
    if (end.kind === "halted") return "detached";
    if (hooks && end.kind === "ends" && end.reason === "stop" && (yield* hooks.ends(turn))) continue;
    // The person sent a message before the end was written; the model reads it in this turn.
    if (end.kind === "ends" && end.reason === "stop" && isSteered(turn)) continue;
    if (end.kind === "ends") {
      if (end.reason === "proposed" && asksOpenPoints(turn, message)) return "questions";
      if (end.reason !== "proposed" || !state.run) return end.reason;
      if (!(await needsNoReview(state.history, state.plan))) return end.reason;
      const { options } = turn.env.request;
      startRun(turn, state.run, message.createdAt, [
        ...visibleTools(options, state.run, true, state.history),
        ...foreignTools(options),
      ]);
      continue;
    }
    if (message.toolCalls) await tellUnread(turn, message, true);
    if (end.fault === undefined) faults.clear();
    else {
      const times = (faults.get(end.fault) ?? 0) + 1;
      faults.set(end.fault, times);
      if (times >= limits.maxBadRounds) throw gaveUp(message);
    }
  }
}

function gaveUp(last: AssistantMessage): HandrailError {
  const does = last.toolCalls
    ? "keeps calling tools that do not exist, or in a form that cannot be read"
    : "keeps answering with nothing";
  return new HandrailError("model_error", `The model ${does}. Try again, or choose another model.`, {
    retryable: true,
  });
}

/** Whether the turn was stopped and has nothing left to replay: ending earlier would collide with recorded events. */
function stopsHere({ env, replays }: Turn): boolean {
  return env.signals.stop.aborted && !replays;
}

/** The next assistant message if the journal holds it: then the model is not asked again. */
function recordedAnswer(turn: Turn): AssistantMessage | undefined {
  let recorded = turn.log.peek();
  // Notices about refused features, and summaries, are recorded before the answer they belong to.
  while (recorded?.event === "message" && precedesAnswer(recorded.data.message)) {
    turn.emit(recorded);
    recorded = turn.log.peek();
  }
  if (recorded?.event !== "message" || recorded.data.message.role !== "assistant") return undefined;
  turn.emit(recorded);
  return recorded.data.message;
}

function precedesAnswer(message: Message): boolean {
  if (message.role === "event" && message.extra.event.data.kind === "dropped_front") return true;
  return readFallback(message) !== undefined || lastSummary([message]) !== undefined;
}

/** Steering messages that an earlier run of the turn recorded here. */
export function replaySteers(turn: Turn): void {
  for (
    let next = turn.log.peek();
    next?.event === "message" && isSteer(turn, next.data.message);
    next = turn.log.peek()
  )
    turn.emit(next);
}

/**
 * Records messages that arrived since, and sends them: the person sees that they were taken before the model answers.
 */
export async function* takeSteers(turn: Turn): AsyncGenerator<TurnEvent> {
  const { turnId } = turn.env.request;
  const open = openSteers(turn);
  for (const { id, text, at } of open) {
    const said = userMessage(turnId, text, at, turn.state.mode);
    turn.emit({ event: "message", data: { message: { ...said, id: steerMessageId(turnId, id) } } });
  }
  if (open.length > 0) yield* turn.journalStaged();
}

/** Whether the person sent a message that the model has not read. */
export function isSteered(turn: Turn): boolean {
  const next = turn.log.peek();
  if (next) return next.event === "message" && isSteer(turn, next.data.message);
  const { stop, detach } = turn.env.signals;
  return !stop.aborted && !detach.aborted && openSteers(turn).length > 0;
}

function openSteers({ env, state }: Turn): Steer[] {
  const known = new Set(state.history.map(({ id }) => id));
  return env.steers.filter(({ id }) => {
    const message = steerMessageId(env.request.turnId, id);
    if (known.has(message)) return false;
    known.add(message);
    return true;
  });
}

function isSteer({ env }: Turn, { id, role }: Message): boolean {
  return role === "user" && id.startsWith(steerMessageId(env.request.turnId, ""));
}
