// Compacts journals that nobody needs in full any more; see compact.ts. A journal that grows meanwhile is
// left alone, so nothing is lost.
import { rm } from "node:fs/promises";
import * as limits from "../limits.ts";
import type { CallEntry } from "./call-entry.ts";
import { compacted, withoutHarmless } from "./compact.ts";
import type { JournalFile } from "./journal-file.ts";
import type { StoredLine } from "./journal-lines.ts";
import { keepEvents } from "./kept-events.ts";
import type { PlanFacts } from "./plan-facts.ts";
import { callsIn } from "./recover-calls.ts";
import type { TurnLog } from "./turn-log.ts";

interface Recorded {
  turns: ReadonlyMap<string, TurnLog>;
  calls: Map<string, CallEntry>;
  facts: PlanFacts;
}

/**
 * `loose`: the journals of calls outside turns, by day. Throws if the disk is full; the journal that did not
 * fit is unchanged then.
 */
export async function makeSmall(journal: Recorded, loose: Map<string, JournalFile>): Promise<void> {
  const turns = [...journal.turns.values()].sort((a, b) => a.openedAt - b.openedAt);
  for (const turn of turns.slice(0, -limits.wholeTurns)) {
    if (!turn.finished || turn.compacted || turn.damaged) continue;
    if (!journal.facts.acknowledged.byAll(turn.id, turn.lastEventId)) continue;
    const smaller = (lines: StoredLine[]) => keepEvents(turn, lines).then(() => compacted(lines));
    await compact(journal, turn.file, turn, smaller);
  }
  const days = [...loose].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [day, file] of days.slice(0, -limits.wholeDays)) {
    if ((await file.line(1))?.type === "compacted") continue;
    const kept = await compact(journal, file, undefined, withoutHarmless);
    if (kept?.length !== 0) continue;
    loose.delete(day);
    await rm(file.path, { force: true });
  }
}

/**
 * Returns the remaining lines; undefined if the journal grew meanwhile or one of its calls has no result yet.
 */
async function compact(
  { calls }: Recorded,
  file: JournalFile,
  turn: TurnLog | undefined,
  smaller: (lines: StoredLine[]) => StoredLine[] | Promise<StoredLine[]>,
): Promise<StoredLine[] | undefined> {
  const lines: StoredLine[] = [];
  for await (const line of file.lines()) lines.push(line);
  const kept = await smaller(lines);
  const own = [...calls.values()].filter(({ log }) => log === file);
  if (file.lastAppended !== lines.length || own.some(({ state }) => "run" in state)) return undefined;
  await file.replace(kept, () => {
    turn?.reload(kept);
    for (const { key } of own) calls.delete(key);
    for (const entry of callsIn(kept, turn?.id, file).entries) calls.set(entry.key, entry);
  });
  return kept;
}
