// Runs a claimed turn to its end for whoever watches. The only place that decides what an interruption becomes.
import { HandrailError, toHandrailError, traceOf } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import type { Deps } from "../deps.ts";
import type { ClaimedTurn } from "../turn/claim.ts";
import { runTurn } from "../turn/loop.ts";
import { followTurn } from "./follow.ts";
import type { LiveTurn } from "./live-turns.ts";
import { endStoppedTurn, pollStop } from "./stop.ts";

/** `requestId`: of the HTTP request that runs it. */
interface DrivenTurn {
  sandboxId: string;
  turnId: string;
  requestId: string;
}

/** Never throws. `live` is ended when this resolves. */
export async function driveTurn(
  deps: Deps,
  turn: DrivenTurn,
  claimed: ClaimedTurn,
  live: LiveTurn,
): Promise<void> {
  const startedAt = deps.elapsed();
  try {
    const events = claimed.kind === "ended" ? claimed.events : runTurn(claimed.turn, claimed.opening);
    for await (const event of events) {
      live.publish(event);
      note(deps, turn, event, startedAt);
    }
    if (live.overtaken) await followElsewhere(deps, turn, live);
  } catch (error) {
    if (isFenced(error)) await followElsewhere(deps, turn, live);
    else interrupted(deps, turn, live, error);
  } finally {
    deps.memory.liveTurns.remove(turn.sandboxId, turn.turnId, live);
    live.end();
  }
}

function isFenced(error: unknown): boolean {
  return error instanceof HandrailError && (error.code === "stale_epoch" || error.code === "turn_finished");
}

/** Another runner, or a stop, has taken the turn over: its journaled events are passed on. Never rejects. */
async function followElsewhere(deps: Deps, turn: DrivenTurn, live: LiveTurn): Promise<void> {
  try {
    const stopped = await pollStop(deps, turn.sandboxId, turn.turnId);
    if (stopped) await endStoppedTurn(deps, turn.sandboxId, turn.turnId, 0);
    // Nobody is left to be told.
    if (live.detached.aborted) return;
    const stored = { turnId: turn.turnId, after: live.lastId };
    const events = await followTurn(deps, turn.sandboxId, stored, live.detached);
    for await (const event of events) live.publish(event);
  } catch (error) {
    if (!live.detached.aborted) interrupted(deps, turn, live, error);
  }
}

/** Counts the event; at the turn's last one, writes the turn's line in the log. */
function note({ log, memory, elapsed }: Deps, turn: DrivenTurn, event: TurnEvent, startedAt: number): void {
  memory.metrics.event(event);
  if (event.event !== "turn.done" && event.event !== "turn.failed") return;
  const outcome = event.event === "turn.done" ? event.data.reason : event.data.error.code;
  log({ event: "turn", ...turn, outcome, ms: Math.round(elapsed() - startedAt) });
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
