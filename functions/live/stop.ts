// Stops a turn: tells the runner in this process, fences every other one, and writes the ending if no runner does.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import type { DurableEvent, JournalEvent } from "../../shared/event.ts";
import type { Mode } from "../../shared/mode.ts";
import { createRedactor } from "../../shared/redact/redactor.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import type { Deps } from "../deps.ts";
import * as limits from "../limits.ts";
import { realSleep } from "../model/sleep.ts";
import { stoppedEnding } from "../turn/end-stopped.ts";
import { TurnContext } from "../turn/env.ts";
import { durableEvent, gaveWay, ReplayLog } from "../turn/replay-log.ts";
import { planAfter } from "../turn/turn.ts";

/** Resolves once the turn has ended, or if the turn is not known yet. */
export async function stopTurn(deps: Deps, sandboxId: string, turnId: string): Promise<void> {
  // The sandbox tells runners in other processes, and those on workerd, where one request must not touch another's
  // objects.
  const live = deps.host.sharesTurns ? deps.memory.liveTurns.get(sandboxId, turnId) : undefined;
  live?.stop();
  await deps.sandbox.stop(sandboxId, turnId).catch((error: unknown) => {
    // The turn has already ended, so there is nothing to stop.
    if (!(error instanceof HandrailError && error.code === "turn_finished")) throw error;
  });
  if (live) {
    const over = new AbortController();
    await Promise.race([live.finished, realSleep(limits.stopGraceMs, over.signal)]);
    over.abort();
  }
  await endStoppedTurn(deps, sandboxId, turnId, live ? 0 : limits.stopGraceMs);
}

/**
 * Writes the ending of a stopped turn: results for its open calls, then `turn.done`. Does nothing if the turn was
 * never begun, has ended, or ends within `waitMs`, or while a snapshot is being restored.
 */
export async function endStoppedTurn(
  deps: Pick<Deps, "sandbox" | "secrets">,
  sandboxId: string,
  turnId: string,
  waitMs: number,
): Promise<void> {
  const turn: RecordedTurn = {
    turnId,
    events: [],
    results: new Map(),
    begun: new Set(),
    context: undefined,
    secrets: deps.secrets,
  };
  let epoch = 1;
  const restores: string[] = [];
  for await (const line of deps.sandbox.journal(sandboxId, turnId, 0, waitMs)) {
    if (line.type === "claim") {
      epoch = Math.max(epoch, line.epoch);
      turn.context ??= line.context;
    } else if (line.type === "started") {
      turn.begun.add(line.key);
      if (line.op === "restore") restores.push(line.key);
    }
    if (line.type === "result") turn.results.set(line.key, line);
    if (line.type !== "record") continue;
    turn.events.push(...line.events);
    const last = line.events.at(-1)?.event;
    if (last === "turn.done" || last === "turn.failed") return;
  }
  // While files are being restored nobody knows the outcome: the runner, or the next post of the turn, records it.
  if (turn.events.length === 0 || restores.some((key) => !turn.results.has(key))) return;
  const record = ending(turn);
  const lines = deps.sandbox.calls(sandboxId, {
    access: "readonly",
    turn: { id: turnId, epoch, round: 0, record },
    calls: [],
  });
  try {
    for await (const _ of lines);
  } catch (error) {
    // Somebody else wrote the ending first.
    if (
      !(
        error instanceof HandrailError &&
        (error.code === "turn_finished" || error.code === "stale_epoch" || error.code === "invalid_request")
      )
    )
      throw error;
  }
}

interface RecordedTurn {
  turnId: string;
  events: JournalEvent[];
  results: Map<string, CallResult>;
  /** Keys of the calls that the sandbox has begun. */
  begun: Set<string>;
  /** The context as the first claim stored it. */
  context: unknown;
  /** Redacts the server's own keys. */
  secrets: readonly string[];
}

/** Made of the journal alone, so tool messages that the runner has already sent come out the same. */
function ending({
  turnId,
  events: recorded,
  results,
  begun,
  context: kept,
  secrets,
}: RecordedTurn): JournalEvent[] {
  const events = recorded.map(durableEvent);
  const parsed = z.safeParse(TurnContext, kept);
  const context = parsed.success ? parsed.data : { planRounds: 0, runRounds: 0, contextWindow: 0 };
  const own = events.flatMap((event) => (event.event === "message" ? [event.data.message] : []));
  const messages = context.resumes ? [context.resumes.message, ...own] : own;
  const round = own.filter((message) => message.role === "assistant").length;
  const result = (key: string) => results.get(key);
  const plan = events.reduce(planAfter, context.plan ?? null);
  const mode = modeAfter(events);
  const began = (key: string) => {
    const kept = results.get(key);
    return begun.has(key) || (kept !== undefined && !gaveWay(kept));
  };
  const isTold = events.some(({ event }) => event === "ledger");
  const ledger = (!isTold && context.ledger) || null;
  const drafts = stoppedEnding({ turnId, messages, context, mode, plan, round, ledger, result, began });
  const log = new ReplayLog(recorded, [], { own: createRedactor(secrets, "values") });
  for (const event of events) log.stage(event);
  for (const draft of drafts) log.stage(draft);
  return log.unrecorded.map(({ id, event, data }) => ({ id, event, data }));
}

function modeAfter(events: readonly DurableEvent[]): Mode {
  return events.reduce<Mode>((mode, event) => {
    if (event.event === "mode") return event.data.to;
    return event.event === "turn.started" ? event.data.mode : mode;
  }, "normal");
}
