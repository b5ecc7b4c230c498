// Steering: messages sent into a running turn. Each joins the history between two answers of the model, at most once, and in
// the same place on every run of the turn.
import type { TurnEvent } from "../../shared/event.ts";
import type { Steer } from "../../shared/journal.ts";
import type { Message } from "../../shared/message.ts";
import { steerMessageId } from "../../shared/turn.ts";
import { userMessage } from "../inputs/messages.ts";
import type { Turn } from "./turn.ts";

/** What an earlier run of the turn recorded here. */
export function replaySteers(turn: Turn): void {
  for (
    let next = turn.log.peek();
    next?.event === "message" && isSteer(turn, next.data.message);
    next = turn.log.peek()
  )
    turn.emit(next);
}

/** Records what has come since, and sends it: the person sees that it was taken before the model answers. */
export async function* takeSteers(turn: Turn): AsyncGenerator<TurnEvent> {
  const { turnId } = turn.env.request;
  const open = openSteers(turn);
  for (const { id, text, at } of open) {
    const said = userMessage(turnId, text, at, turn.state.mode);
    turn.emit({ event: "message", data: { message: { ...said, id: steerMessageId(turnId, id) } } });
  }
  if (open.length > 0) yield* turn.commit();
}

/** Whether something was said that the model has not read. */
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
