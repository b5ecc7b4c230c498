// Reads the events of a session from its journals after a given place, in the order of its turns.
import type { HistoryPart } from "../../shared/history.ts";
import { historyDiffers } from "../../shared/history-differs.ts";
import type { StoredTurn } from "../../shared/turn.ts";
import * as limits from "../limits.ts";
import { eventsIn } from "./kept-events.ts";
import { checkSame } from "./same-history.ts";
import type { SandboxJournal } from "./sandbox-journal.ts";
import { inOrder, type TurnLog } from "./turn-log.ts";

/**
 * The session's events after `place` in the order of its turns, as many as fit into one answer, with the
 * current state at the end. Throws `history_differs` if these journals do not have the place.
 */
export async function readHistory(
  journal: SandboxJournal,
  place: StoredTurn | undefined,
): Promise<Pick<HistoryPart, "events" | "more" | "now"> & { last: StoredTurn | undefined }> {
  // Waits for pending writes: if one failed because the disk is full, these journals would not have the place
  // that is returned.
  await journal.settled();
  const { turns, facts } = journal;
  // Events recorded while files are read belong to the next part, so the end is fixed now.
  const all = inOrder(turns.values()).map((turn) => ({ turn, end: turn.lastEventId }));
  const now = facts.openNow();
  const first = place ? all.findIndex(({ turn }) => turn.id === place.turnId) : 0;
  if (place && first < 0) throw historyDiffers({ ...place, lastId: 0 });
  const found: HistoryPart["events"] = [];
  let chars = 0;
  let last = place;
  for (const { turn, end } of all.slice(first)) {
    const turnId = turn.id;
    let after = 0;
    if (turnId === place?.turnId) {
      checkSame(turn, place);
      after = place.after;
    }
    for (const event of after < end ? await eventsIn(turn) : []) {
      if (event.id <= after || event.id > end) continue;
      if (chars > limits.historyChars) return { events: found, now, last, more: true };
      after = event.id;
      found.push({ ...event, turnId });
      chars += JSON.stringify(event).length;
      last = seenPlace(turn, after);
    }
    last = seenPlace(turn, end);
  }
  return { events: found, now, last, more: false };
}

function seenPlace(turn: TurnLog, after: number): StoredTurn {
  const seen = turn.seenAt(after);
  return { turnId: turn.id, after, ...(seen ? { seen } : {}) };
}
