// For a turn that may have been sent before: finds out whether the server or the history has it, and reads its missing
// events.

import { type DurableEvent, isDurable } from "../../shared/event.ts";
import type { SessionState } from "../../shared/session/session-state.ts";
import type { TurnInput } from "../../shared/turn.ts";
import type { Api } from "../api/client.ts";
import type { TurnRunnerDeps } from "../turn/turn-runner.ts";
import { readTurnStream } from "../turn/turn-stream.ts";

/** False if the server does not know it, or cannot be asked now. Never throws. */
export async function sentBefore(api: Api, sandboxId: string, turnId: string): Promise<boolean> {
  if (sandboxId === "") return false;
  const asked = new AbortController();
  try {
    await api.send(`/turns/${sandboxId}/${turnId}/events?after=0`, { signal: asked.signal });
    return true;
  } catch {
    return false;
  } finally {
    asked.abort();
  }
}

/** Returns whether the newest turn of the history begins with this message. */
export function wasSaid(input: TurnInput, { head, entries }: SessionState): boolean {
  return entries.some(
    (entry) =>
      entry.turnId === head.turn?.id &&
      entry.event === "message" &&
      entry.data.message.role === "user" &&
      input.type === "message" &&
      entry.data.message.content === input.text,
  );
}

/** The server sends journaled events at once, so a stream that is silent for this long has no more of them. */
const quietMs = 2_000;

/**
 * `left` holds the turn's durable events that exist; `ended` says whether its last event is among them. Never throws.
 */
export async function readRest(
  api: Api,
  sleep: TurnRunnerDeps["sleep"],
  sandboxId: string,
  turnId: string,
  signal: AbortSignal,
): Promise<{ left: DurableEvent[]; ended: boolean }> {
  const left: DurableEvent[] = [];
  try {
    const response = await api.send(`/turns/${sandboxId}/${turnId}/events?after=0`, { signal });
    const end = await readTurnStream(response, 0, {
      onEvents: (events) => left.push(...events.filter(isDurable)),
      silence: (_ms, over) => sleep(quietMs, over),
      pastGaps: true,
    });
    return { left, ended: end === "finished" };
  } catch {
    return { left, ended: false };
  }
}
