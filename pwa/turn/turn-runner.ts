// Brings one turn to its end over an unreliable network: post, follow, post again (PROTOCOL 3.1 "Attempts").
import { HandrailError, toHandrailError } from "../../shared/errors.ts";
import { isDurable, type TurnEvent } from "../../shared/event.ts";
import type { Connection } from "./connection.ts";
import { readTurnStream, type StreamEnd, watchdogMs } from "./turn-stream.ts";

export interface TurnRunnerDeps {
  /** Posts the turn as `attempt`. The attempt must be stored before the request is sent. */
  post(attempt: number, signal: AbortSignal): Promise<Response>;
  follow(signal: AbortSignal): Promise<Response>;
  /** The id of the last durable event that was folded in. */
  after(): number;
  onEvents(events: TurnEvent[]): void;
  onConnection(connection: Connection): void;
  /** Resolves after `ms`. If `signal` aborts, it may resolve at once or never. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /**
   * Resolves when there is no longer a reason to wait: the page is visible, the network is back, or there is a new
   * token.
   */
  wake(signal: AbortSignal): Promise<void>;
  /** Resolves when an open stream may be dead: the page was hidden for long, or the network changed. */
  doubt(signal: AbortSignal): Promise<void>;
  isOnline(): boolean;
}

export type TurnOutcome =
  | { kind: "finished" }
  | { kind: "refused"; error: HandrailError }
  /** The server no longer has the next events. */
  | { kind: "gap" }
  | { kind: "left" };

/** The pauses between attempts; the last one is used for all later attempts. */
const backOffMs = [300, 1_000, 2_000, 4_000, 8_000, 15_000];
/**
 * How long a request may stay without any answer. A post gets more time, because a history is uploaded slowly with a
 * bad signal.
 */
const answerWithinMs = { post: 60_000, follow: watchdogMs };
/**
 * How many followed streams in a row may break without an event: a proxy that breaks every stream must not block a
 * turn.
 */
const maxTorn = 5;

/**
 * Runs until the turn's last event is folded in, the server refuses it, two streams in a row lack the same events, or
 * `signal` aborts (`left`). `attempt` is the number of the last post, 0 if none; `first` is the first request. A posted
 * turn is followed, and posted again only if that stream closes without an end. So on a weak signal no model call is
 * paid for twice, and no healthy runner is fenced off. Never throws.
 */
export async function deliverTurn(
  deps: TurnRunnerDeps,
  attempt: number,
  signal: AbortSignal,
  first: "post" | "follow" = attempt === 0 ? "post" : "follow",
): Promise<TurnOutcome> {
  let posted = attempt;
  let step = first;
  let tries = 0;
  let torn = 0;
  let gapAt: number | undefined;
  // As far as is known, no process runs the turn.
  let paused = false;
  deps.onConnection(attempt === 0 ? { kind: "sending" } : { kind: "reconnecting", tries });
  while (!signal.aborted) {
    const before = deps.after();
    const result = await oneTry(deps, step, step === "post" ? ++posted : posted, signal);
    if (signal.aborted) break;
    if (result === "finished") return { kind: "finished" };
    if (result === "gap") {
      if (gapAt === deps.after()) return { kind: "gap" };
      gapAt = deps.after();
    }
    if (result instanceof HandrailError) {
      const next = afterError(result, step);
      if (next === "refused") return { kind: "refused", error: result };
      if (next === "unpaired") {
        deps.onConnection({ kind: "unpaired" });
        await untilAborted(signal, (over) => deps.wake(over));
        if (step === "post") posted -= 1;
        continue;
      }
      // Another process has continued the turn with attempts of its own.
      const epoch = result.code === "stale_epoch" ? result.details?.epoch : undefined;
      if (typeof epoch === "number") posted = Math.max(posted, epoch);
      if (next !== step) {
        step = next;
        continue;
      }
    } else {
      const grew = deps.after() > before;
      torn = grew || result !== "broken" || step !== "follow" ? 0 : torn + 1;
      if (grew) tries = 0;
      const ran = result !== "interrupted" && (result !== "closed" || step === "post");
      if (result !== "lost" && result !== "doubted") paused = !ran;
      const over = !ran || torn >= maxTorn;
      step = posted === 0 || over ? "post" : "follow";
    }
    tries += 1;
    const why = result instanceof HandrailError ? result.message : undefined;
    if (!deps.isOnline()) deps.onConnection({ kind: "offline" });
    // Without any answer it is not even known whether the turn is paused.
    else if (result === "lost") deps.onConnection({ kind: "reconnecting", tries, unanswered: true });
    else if (paused && why === undefined) deps.onConnection({ kind: "resuming" });
    else deps.onConnection({ kind: "reconnecting", tries, ...(why !== undefined && { why }) });
    // The page is visible again, or the network is back: open streams are requested again at once, and so is a turn
    // that no process runs.
    if (result === "doubted" || (paused && tries === 1 && why === undefined)) continue;
    const pauseMs = backOffMs[Math.min(tries, backOffMs.length) - 1] ?? 15_000;
    await untilAborted(signal, (over) => Promise.race([deps.sleep(pauseMs, over), deps.wake(over)]));
  }
  return { kind: "left" };
}

/** `lost`: no answer came at all. `doubted`: the stream was given up because it may be dead. */
async function oneTry(
  deps: TurnRunnerDeps,
  step: "post" | "follow",
  attempt: number,
  signal: AbortSignal,
): Promise<StreamEnd | "lost" | "doubted" | HandrailError> {
  const request = new AbortController();
  const abort = () => request.abort();
  signal.addEventListener("abort", abort, { once: true });
  let answered = false;
  let doubted = false;
  deps.doubt(request.signal).then(
    () => {
      doubted = true;
      abort();
    },
    () => undefined,
  );
  deps.sleep(answerWithinMs[step], request.signal).then(
    () => answered || abort(),
    () => undefined,
  );
  try {
    const response =
      step === "post" ? await deps.post(attempt, request.signal) : await deps.follow(request.signal);
    answered = true;
    deps.onConnection({ kind: "live" });
    const end = await readTurnStream(response, deps.after(), {
      onEvents: (events) => {
        // `after()` flushes events that wait for the next frame, so do not call it for live text alone.
        const known = events.some(isDurable) ? deps.after() : 0;
        const news = events.filter((event) => !isDurable(event) || event.id > known);
        if (news.length > 0) deps.onEvents(news);
      },
      silence: (ms, over) => deps.sleep(ms, over),
    });
    return doubted && end === "broken" ? "doubted" : end;
  } catch (error) {
    if (doubted) return "doubted";
    return error instanceof TypeError || error instanceof DOMException ? "lost" : toHandrailError(error);
  } finally {
    signal.removeEventListener("abort", abort);
    request.abort();
  }
}

/** What an error answer means for the next attempt. */
function afterError(
  error: HandrailError,
  step: "post" | "follow",
): "post" | "follow" | "refused" | "unpaired" {
  if (error.code === "unauthorized") return "unpaired";
  // The person has to decide which history counts.
  if (error.code === "history_differs") return "refused";
  if (step === "follow") return error.code === "not_found" ? "post" : "follow";
  if (error.code === "stale_epoch" || error.code === "turn_finished") return "follow";
  return error.retryable ? "post" : "refused";
}

async function untilAborted(signal: AbortSignal, wait: (over: AbortSignal) => Promise<void>): Promise<void> {
  const over = new AbortController();
  const abort = () => over.abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    const aborted = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
    await Promise.race([wait(over.signal), aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
    over.abort();
  }
}
