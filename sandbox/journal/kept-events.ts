// The events of a compacted turn, compressed in a file beside its journal. They are kept as long as the
// sandbox exists, even if every client has them.
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { JournalEvent } from "../../shared/event.ts";
import { readIfThere, writeWhole } from "../files.ts";
import type { StoredLine } from "./journal-lines.ts";
import { eventsOf, type TurnLog } from "./turn-log.ts";

const pathOf = ({ file }: TurnLog) => `${file.path}.events`;

/** Resolves when the events are on the disk. Only then may the journal drop them. */
export async function keepEvents(turn: TurnLog, lines: readonly StoredLine[]): Promise<void> {
  const events = JSON.stringify(lines.flatMap(eventsOf));
  await writeWhole(pathOf(turn), await promisify(gzip)(events), true);
}

/** All remaining events of the turn. */
export async function eventsIn(turn: TurnLog): Promise<JournalEvent[]> {
  if (turn.compacted) {
    const kept = await readIfThere(pathOf(turn)).catch(() => undefined);
    const text = kept && (await promisify(gunzip)(kept).catch(() => undefined));
    if (text) return eventsOf({ seq: 0, at: 0, type: "record", events: JSON.parse(text.toString()) });
  }
  const events: JournalEvent[] = [];
  for await (const line of turn.file.lines()) events.push(...eventsOf(line));
  return events;
}
