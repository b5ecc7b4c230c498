// Lists the turns of all sandboxes that an edge or a client has to continue, including sandboxes that are not
// open yet.
import { join } from "node:path";
import type { IdleTurns } from "../shared/journal.ts";
import type { ServerContext } from "./context.ts";
import { postedTurns } from "./journal/posted-requests.ts";
import { readRecords } from "./sandbox-records.ts";

/**
 * Turns that have not ended, have a stored request, and are run by no edge. A copied turn is left out,
 * because it belongs to its client. Sandboxes without such turns are not opened.
 */
export async function idleTurns({ options, registry }: ServerContext): Promise<IdleTurns> {
  const dir = join(options.state, "sandboxes");
  const turns: IdleTurns["turns"] = [];
  for (const { id: sandboxId } of await readRecords(dir)) {
    const kept = await postedTurns(join(dir, sandboxId, "turns"));
    const journal = kept.length > 0 ? (await registry.find(sandboxId))?.journal : undefined;
    for (const turnId of kept) {
      const turn = journal?.turns.get(turnId);
      if (turn && !turn.finished && !turn.copied && !turn.attendance.expected)
        turns.push({ sandboxId, turnId });
    }
  }
  return { turns };
}
