// Adds a part of a history from the server to what this device has. Pure.
import type { SessionHistory } from "../../shared/history.ts";
import { parseEntry } from "../../shared/session/entry.ts";
import { reduce } from "../../shared/session/reduce.ts";
import type { SessionState, TurnState } from "../../shared/session/session-state.ts";

/** The position up to which this device has the history, for the query's `after`; "" if it has nothing. */
export function placeAfter(turn: TurnState | null): string {
  if (turn === null) return "";
  return [turn.id, turn.lastEventId, ...(turn.seen === undefined ? [] : [turn.seen])].join(".");
}

/**
 * Adds the next part of the history to the session. After the last part, the head comes from the server, because
 * entries contain only part of a plan. Without entries nothing changes.
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
