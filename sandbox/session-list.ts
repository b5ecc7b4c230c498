// The sessions of this server for a list, whether their sandboxes are in use yet or not: no journal is read for it, but
// those of sessions that ran when a server ended, or that an earlier version kept.
import { join } from "node:path";
import type { ServerContext } from "./context.ts";
import { emptyRow } from "./journal/session-facts.ts";
import { keptRow } from "./journal/session-news.ts";
import * as limits from "./limits.ts";
import { readRecords } from "./sandbox-records.ts";

/** SessionRows: the part that follows `after`, the last change first. A change meanwhile may show a session twice, or not. */
export async function listSessions(
  { options, registry }: ServerContext,
  after: string | undefined,
): Promise<{ rows: object[]; next: string | undefined }> {
  const dir = join(options.state, "sandboxes");
  const records = (await readRecords(dir)).filter(({ state }) => state !== "failed");
  const found = await Promise.all(
    records.map(async ({ id, workspace, createdAt }) => {
      const { notes, ...kept } = await keptRow(join(dir, id));
      // As text it sorts by the last change.
      const changedAt = Math.max(createdAt, Number(kept.updatedAt ?? 0));
      const place = `${String(changedAt).padStart(15, "0")}.${id}`;
      return {
        row: { id, workspace, createdAt, ...emptyRow, ...kept, title: notes?.title },
        place,
        stage: kept.stage,
      };
    }),
  );
  const later = found
    .filter(({ place }) => !after || place < after)
    .sort((a, b) => (a.place < b.place ? 1 : -1));
  const rows: object[] = [];
  for (const { row, stage } of later.slice(0, limits.listedSessions)) {
    // A server may have been killed before it could keep the newest row: a turn ran then.
    const opened = stage === undefined || stage === "running" ? await registry.find(row.id) : undefined;
    rows.push({ ...row, ...opened?.journal.facts.session.row });
  }
  return { rows, next: later.length > rows.length ? later[rows.length - 1]?.place : undefined };
}
