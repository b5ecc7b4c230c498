// The newest turn's time, tokens and cost, computed from stored entries. Pure.
import { messagesOf } from "../../shared/session/history.ts";
import type { SessionState } from "../../shared/session/session-state.ts";
import { addSpent, nothingSpent, type Spent } from "../../shared/session/spending.ts";

export interface TurnFigures {
  /** When the turn began, in milliseconds since the epoch. */
  since: number;
  /** The time of the turn's newest message. */
  until: number;
  runs: boolean;
  spent: Spent;
}

/** Undefined before the turn has a message. */
export function turnFigures({ head, entries }: SessionState): TurnFigures | undefined {
  const { turn } = head;
  if (turn === null) return undefined;
  const messages = messagesOf(entries.filter(({ turnId }) => turnId === turn.id));
  const first = messages[0];
  const last = messages.at(-1);
  if (first === undefined || last === undefined) return undefined;
  return {
    since: first.createdAt,
    until: last.createdAt,
    runs: turn.status === "running",
    spent: messages.reduce(addSpent, nothingSpent),
  };
}
