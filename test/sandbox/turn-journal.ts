// Writes what a runner of turns writes through /v1, for suites that check journals.
import type { SandboxClient } from "./sandbox-client.ts";

export const event = (number: number, name: string, data: Record<string, unknown> = {}) => ({
  id: number,
  event: name,
  data,
});

/** Makes turns in the sandbox that `place` names when it is called. */
export function journaling(place: () => { client: SandboxClient; id: string }) {
  let turns = 0;
  const newTurn = () => `turn-${++turns}`;
  const record = (turnId: string, epoch: number, events: unknown[]) => {
    const { client, id } = place();
    return client.post(`/sandboxes/${id}/calls`, {
      turn: { id: turnId, epoch, round: 0, record: events },
      calls: [],
    });
  };
  /** A turn that journals these events and ends. */
  const finishedTurn = async (...events: [string, Record<string, unknown>][]): Promise<string> => {
    const { client, id } = place();
    const turnId = newTurn();
    const all = [...events, ["turn.done", { reason: "stop", rounds: 1 }] as const];
    await client.claim(id, turnId, {
      epoch: 1,
      record: all.map(([name, data], index) => event(index + 1, name, data)),
    });
    return turnId;
  };
  return { newTurn, record, finishedTurn };
}
