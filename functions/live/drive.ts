// Starts a turn in this process, for a client or for a runner that takes over an abandoned one; runs it to its end and
// publishes its events. The only place that decides how an interruption ends it.

import { HandrailError, toHandrailError, traceOf } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import type { Redactor } from "../../shared/redact/redactor.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";
import { type ClaimedTurn, claimTurn } from "../turn/claim.ts";
import { runTurn } from "../turn/loop.ts";
import { redactorsOf } from "../turn/redactors.ts";
import { toldToEnd } from "../turn/told.ts";
import type { LiveTurn } from "./live-turns.ts";

interface StartedBy {
  requestId: string;
  inputHash: string;
  apiKey?: string | undefined;
  mcpTokens?: string | undefined;
  /** See ClaimRequest. */
  posted?: string | null | undefined;
}

/**
 * Claims the turn for `live` and returns a function that runs it. If the claim fails, ends `live` and throws the error.
 */
export async function startTurn(
  deps: Deps,
  request: TurnRequest,
  live: LiveTurn,
  by: StartedBy,
): Promise<() => Promise<TurnEnd>> {
  const { sandboxId, turnId } = request;
  const { liveTurns } = deps.memory;
  const { sharesTurns } = deps.host;
  const running = sharesTurns ? liveTurns.get(sandboxId, turnId) : undefined;
  // When two posts arrive at once, the second finds the first while that is still claiming.
  if (!running && sharesTurns) liveTurns.add(sandboxId, turnId, live);
  try {
    const claimed = await claimTurn(deps, request, live.signals, {
      ...by,
      say: (event) => live.publish(event),
      steers: live.steers,
      attending: { over: live.over, beats: sharesTurns, onNews: (news) => live.hear(news) },
    });
    running?.overtake();
    live.begin();
    liveTurns.add(sandboxId, turnId, live);
    return () => driveTurn(deps, { sandboxId, turnId, requestId: by.requestId }, claimed, live);
  } catch (error) {
    liveTurns.remove(sandboxId, turnId, live);
    live.end();
    throw error;
  }
}

/** `requestId`: id of the HTTP request that runs it. */
interface DrivenTurn {
  sandboxId: string;
  turnId: string;
  requestId: string;
}

/**
 * `ended`: its last event was sent. `elsewhere`: another attempt runs it, or a stop ended it. `left`: another process
 * may continue it at once. `broken`: something failed, and it may continue later. `unknown`: the sandbox does not know
 * the turn, or not yet.
 */
export type TurnEnd = "ended" | "elsewhere" | "left" | "broken" | "unknown";

/** Never throws. `live` is ended when this resolves. */
async function driveTurn(
  deps: Deps,
  turn: DrivenTurn,
  claimed: ClaimedTurn,
  live: LiveTurn,
): Promise<TurnEnd> {
  const startedAt = deps.elapsed();
  const redactors = claimed.kind === "runs" ? claimed.turn.env.redactors : redactorsOf(deps, undefined);
  let running: ReturnType<typeof setInterval> | undefined;
  const tellLater = () => {
    clearInterval(running);
    if (claimed.kind === "runs")
      running = tellWhileRunning(deps, toCall(claimed.turn.env.request, live), live);
  };
  tellLater();
  live.onNotify = tellLater;
  try {
    const told: TurnEvent[] = [];
    let events: Iterable<TurnEvent> | AsyncIterable<TurnEvent> | undefined =
      claimed.kind === "ended" ? claimed.events : runTurn(claimed.turn, claimed.opening);
    while (events) {
      try {
        for await (const event of events) {
          live.publish(event);
          if (isNews(event)) told.push(event);
          if (!countEvent(deps, turn, event, startedAt)) continue;
          if (claimed.kind === "runs")
            await callPerson(deps, toCall(claimed.turn.env.request, live), told, live);
          return "ended";
        }
        events = undefined;
      } catch (error) {
        events = await endingInstead(claimed, turn, live, error);
      }
    }
    if (!live.overtaken) return "left";
    await followElsewhere(deps, turn, live, redactors.own);
    return "elsewhere";
  } catch (error) {
    if (isFenced(error)) {
      await followElsewhere(deps, turn, live, redactors.own);
      return "elsewhere";
    }
    interrupted(deps, turn, live, error);
    return "broken";
  } finally {
    clearInterval(running);
    deps.memory.liveTurns.remove(turn.sandboxId, turn.turnId, live);
    live.end();
  }
}

/**
 * The turn's ending, if `error` says that the client has a different event and its history counts. Rethrows any other
 * error.
 */
async function endingInstead(
  claimed: ClaimedTurn,
  { sandboxId, turnId }: DrivenTurn,
  live: LiveTurn,
  error: unknown,
): Promise<Iterable<TurnEvent>> {
  if (claimed.kind !== "runs") throw error;
  const { deps, request } = claimed.turn.env;
  const { attempt, after, counts } = request;
  if (counts !== "client" || toHandrailError(error).code !== "history_differs") throw error;
  const claim = { epoch: attempt + 1, after, counts, differs: true } as const;
  const { records } = await deps.sandbox.claim(sandboxId, turnId, claim);
  return toldToEnd(records, { turnId, after: live.lastId }, undefined);
}

/** The request, with the current notification settings. */
function toCall(request: TurnRequest, { notify }: LiveTurn): TurnRequest {
  return notify ? { ...request, options: { ...request.options, notify } } : request;
}

/** Events that a person is notified about, beside the end of the turn. */
function isNews({ event }: TurnEvent): boolean {
  return /^(?:questions|plan|proposal|permission|turn\.done|turn\.failed)$/.test(event);
}

/** Notifies the person, unless somebody watches the turn. Never rejects. */
async function callPerson(
  deps: Deps,
  request: TurnRequest,
  told: readonly TurnEvent[],
  live: LiveTurn,
): Promise<void> {
  const { push, webhook } = deps.notify;
  if (live.isWatched || !(webhook || (push && request.options.notify))) return;
  const { tellPerson } = await import("../notify/tell-person.ts");
  await tellPerson(deps, request, told);
}

/** Notifies the person once that the turn still runs, if they asked for that and nobody watches. */
function tellWhileRunning(deps: Deps, request: TurnRequest, live: LiveTurn) {
  const { runningMinutes } = request.options.notify ?? {};
  if (!runningMinutes || !deps.notify.push) return undefined;
  const looks = setInterval(() => {
    if (live.isWatched) return;
    clearInterval(looks);
    void import("../notify/tell-person.ts").then(({ tellRunning }) => tellRunning(deps, request));
  }, runningMinutes * 60_000);
  return looks;
}

function isFenced(error: unknown): boolean {
  return error instanceof HandrailError && (error.code === "stale_epoch" || error.code === "turn_finished");
}

/** Another runner, or a stop, has taken the turn over: its journaled events are passed on. Never rejects. */
async function followElsewhere(deps: Deps, turn: DrivenTurn, live: LiveTurn, own: Redactor): Promise<void> {
  try {
    if (await pollStop(deps, turn.sandboxId, turn.turnId)) {
      const { endStoppedTurn } = await import("./stop.ts");
      await endStoppedTurn(deps, turn.sandboxId, turn.turnId, 0);
    }
    // Nobody is left to read the events.
    if (live.detached.aborted) return;
    const stored = { turnId: turn.turnId, after: live.lastId };
    const { followTurn } = await import("./follow.ts");
    const events = await followTurn(deps, turn.sandboxId, stored, own, live.detached);
    for await (const event of events) live.publish(event);
  } catch (error) {
    if (!live.detached.aborted) interrupted(deps, turn, live, error);
  }
}

/** Counts the event. Returns true for the turn's last one, after logging a line about the turn. */
function countEvent(
  { log, memory, elapsed }: Deps,
  turn: DrivenTurn,
  event: TurnEvent,
  startedAt: number,
): boolean {
  memory.metrics.event(event);
  if (event.event !== "turn.done" && event.event !== "turn.failed") return false;
  const outcome = event.event === "turn.done" ? event.data.reason : event.data.error.code;
  log({ event: "turn", ...turn, outcome, ms: Math.round(elapsed() - startedAt) });
  return true;
}

function interrupted(deps: Deps, turn: DrivenTurn, live: LiveTurn, error: unknown): void {
  const failure = toHandrailError(error);
  if (failure.code === "internal") {
    deps.log({ event: "turn_interrupted", turnId: turn.turnId, trace: traceOf(error) });
  }
  const event: TurnEvent = { event: "interrupted", data: { error: failure.toInfo(turn.requestId) } };
  deps.memory.metrics.event(event);
  live.publish(event);
}

/** Whether the journal holds a stop, whichever process received it. Reads it once. */
async function pollStop(deps: Deps, sandboxId: string, turnId: string): Promise<boolean> {
  for await (const line of deps.sandbox.journal(sandboxId, turnId, 0, 0))
    if (line.type === "stop") return true;
  return false;
}
