// Adds a part of a history from the server to what this device has. Pure.
import type { SessionHistory } from "../../shared/history.ts";
import { parseEntry } from "../../shared/session/entry.ts";
import { reduce } from "../../shared/session/reduce.ts";
import type { SessionState, TurnState } from "../../shared/session/session-state.ts";

/** The position after what this device has of the newest turn, for `after`; "" if it has nothing. */
export function placeAfter(turn: TurnState | null): string {
  if (turn === null) return "";
  return [turn.id, turn.lastEventId, ...(turn.seen === undefined ? [] : [turn.seen])].join(".");
}

/**
 * The session after a part that begins where it ends. The current state is the server's, once that is known: entries
 * tell only part of a plan. Without entries nothing changes.
 */
export function withHistory(
  state: SessionState,
  { sessions: [session], more }: SessionHistory,
): SessionState {
  const entries = session.entries.flatMap((entry) => parseEntry(entry) ?? []);
  const folded = entries.reduce(reduce, state);
  if (more || entries.length === 0) return folded;
  const { mode, plan, turn, model, toolProtocol, asked, permission, alsoAsked, proposal } = session.head;
  const inForce = { mode, plan, turn, model, toolProtocol, asked, permission, alsoAsked, proposal };
  return { ...folded, head: { ...folded.head, ...inForce } };
}
