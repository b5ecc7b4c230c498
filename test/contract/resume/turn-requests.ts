// The requests of a client for one turn, sent to any process.
import type { TurnEvent } from "../../../shared/event.ts";
import { durable } from "../../harness/conversation.ts";
import { authorized, collect, eventsOf, type Target } from "../../harness/sse.ts";

interface TurnName {
  sandboxId: string;
  turnId: string;
}

export function follow(target: Target, { sandboxId, turnId }: TurnName, after = 0): Promise<Response> {
  return fetch(`${target.url}/api/turns/${sandboxId}/${turnId}/events?after=${after}`, {
    headers: authorized(target.token),
  });
}

export function stop(target: Target, { sandboxId, turnId }: TurnName): Promise<Response> {
  return fetch(`${target.url}/api/turns/${sandboxId}/${turnId}/stop`, {
    method: "POST",
    headers: authorized(target.token),
  });
}

/** The durable events of a stream, read to its end. */
export async function durableOf(response: Promise<Response> | Response): Promise<TurnEvent[]> {
  return durable(await collect(eventsOf(await response)));
}
