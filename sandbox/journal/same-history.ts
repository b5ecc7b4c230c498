// Checks whether a client and the journal have the same events of a turn, and makes the event that ends the
// turn if they do not.
import type { JournalEvent } from "../../shared/event.ts";
import { continuedElsewhere, historyDiffers } from "../../shared/history-differs.ts";
import type { StoredTurn } from "../../shared/turn.ts";
import { inOrder, type TurnLog } from "./turn-log.ts";

/**
 * Throws `history_differs` if the client has events that the journal lacks, or different ones. Events that a
 * compacted or damaged journal no longer has cannot be compared.
 */
export function checkSame(turn: TurnLog, { turnId, after, seen }: StoredTurn): void {
  const own = turn.seenAt(after);
  const isAhead = after > turn.lastEventId + turn.resultsAfter;
  if (!isAhead && (seen === undefined || own === undefined || own === seen)) return;
  throw historyDiffers({ turnId, after, lastId: turn.lastEventId });
}

/**
 * Throws `history_differs` if a turn was begun after `stored`, or if that turn has continued: the client does
 * not have all of it.
 */
export function checkNewest(turns: Iterable<TurnLog>, { turnId, after }: StoredTurn): void {
  const newest = inOrder(turns).at(-1);
  if (!newest || (newest.id === turnId && newest.finished && newest.lastEventId <= after)) return;
  throw continuedElsewhere(newest.id);
}

/** The event that ends a turn after the person decided that the client's history counts. */
export function setAside(turn: TurnLog, after: number): JournalEvent {
  return ending(
    idAbove(turn, after),
    "history_differs",
    "You decided that this device's history counts. What the server had is set aside, its commands are not undone. Look at the files.",
  );
}

/** The last event of a turn that lost a line and so cannot continue. */
export function cutShort(turn: TurnLog, after: number): JournalEvent {
  return ending(
    idAbove(turn, after),
    "not_kept",
    "The sandbox server's disk has lost a part of this turn, so it cannot continue. What is left of it is shown; nothing runs again. Look at the files, then send a new message.",
  );
}

/**
 * An id higher than every id that was sent: a message made from a result, or one in a lost line, already has
 * an id.
 */
function idAbove(turn: TurnLog, after: number): number {
  return Math.max(turn.lastEventId + turn.resultsAfter, after) + 1;
}

function ending(id: number, code: "history_differs" | "not_kept", message: string): JournalEvent {
  return { id, event: "turn.failed", data: { error: { code, message, retryable: false } } };
}
