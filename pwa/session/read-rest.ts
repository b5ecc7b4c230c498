// What the server still has of a turn whose next events it no longer has.
import { type DurableEvent, isDurable } from "../../shared/event.ts";
import type { Api } from "../api/client.ts";
import type { TurnRunnerDeps } from "../turn/turn-runner.ts";
import { readTurnStream } from "../turn/turn-stream.ts";

/** A journal comes at once; a stream that is silent for so long has nothing else of it. */
const quietMs = 2_000;

/** `left`: the durable events of the turn that there are. `ended`: its last one is among them. Never throws. */
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
      onBytes: () => undefined,
      silence: (_ms, over) => sleep(quietMs, over),
      pastGaps: true,
    });
    return { left, ended: end === "finished" };
  } catch {
    return { left, ended: false };
  }
}
