// Stop: tells a runner in this process, fences every other, and writes the ending where nobody else does.

import { HandrailError } from "../../shared/errors.ts";
import type { DurableDraft, JournalEvent } from "../../shared/event.ts";
import type { Message } from "../../shared/message.ts";
import type { Deps } from "../deps.ts";
import { limits } from "../limits.ts";
import { durableEvent, TurnLog } from "../turn/turn-log.ts";
import { openCalls } from "../turn/turn-state.ts";
import { asMessage, resultMessage } from "./messages.ts";

/** Resolves once the turn has its end, or nothing of it is known yet. */
export async function stopTurn(deps: Deps, sandboxId: string, turnId: string): Promise<void> {
  const found = deps.memory.liveTurns.get(sandboxId, turnId);
  const live = deps.host.sharesTurns ? found : undefined;
  live?.stop();
  found?.leaveWordToStop();
  await deps.sandbox.stop(sandboxId, turnId).catch((error: unknown) => {
    // Ended by itself in between: there is nothing left to stop.
    if (!(error instanceof HandrailError && error.code === "turn_finished")) throw error;
  });
  if (live) await within(live.finished, limits.stopGraceMs);
  await endStoppedTurn(deps, sandboxId, turnId, live ? 0 : limits.stopGraceMs);
}

/**
 * Writes the ending of a stopped turn: results `stopped` for its open calls, then `turn.done`. Does nothing
 * where the turn has ended, ends within `waitMs`, or was never begun.
 */
export async function endStoppedTurn(
  deps: Deps,
  sandboxId: string,
  turnId: string,
  waitMs: number,
): Promise<void> {
  const events: JournalEvent[] = [];
  let epoch = 1;
  for await (const line of deps.sandbox.journal(sandboxId, turnId, 0, waitMs)) {
    if (line.type === "claim") epoch = Math.max(epoch, line.epoch);
    if (line.type !== "record") continue;
    events.push(...line.events);
    const last = line.events.at(-1)?.event;
    if (last === "turn.done" || last === "turn.failed") return;
  }
  if (events.length === 0) return;
  const record = ending(events, deps.now());
  const lines = deps.sandbox.calls(sandboxId, {
    access: "readonly",
    turn: { id: turnId, epoch, round: 0, record },
    calls: [],
  });
  try {
    for await (const _ of lines);
  } catch (error) {
    // Somebody else was faster.
    if (
      !(
        error instanceof HandrailError &&
        (error.code === "turn_finished" || error.code === "stale_epoch" || error.code === "invalid_request")
      )
    )
      throw error;
  }
}

function ending(recorded: readonly JournalEvent[], now: number): JournalEvent[] {
  const events = recorded.map(durableEvent);
  const messages: Message[] = events.flatMap((event) =>
    event.event === "message" ? [event.data.message] : [],
  );
  const rounds = messages.filter((message) => message.role === "assistant").length;
  const open = openCalls(messages);
  const drafts: DurableDraft[] = (open?.ordinals ?? []).flatMap((ordinal) => {
    const call = open?.message.toolCalls?.[ordinal];
    return open && call
      ? [asMessage(resultMessage(call, { ok: false, content: "stopped", at: now, mode: open.message.mode }))]
      : [];
  });
  drafts.push({ event: "turn.done", data: { reason: "stopped", rounds } });
  const log = new TurnLog(recorded, []);
  for (const event of events) log.stage(event);
  for (const draft of drafts) log.stage(draft);
  return log.unrecorded.map(({ id, event, data }) => ({ id, event, data }));
}

function within(promise: Promise<void>, waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    void promise.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
