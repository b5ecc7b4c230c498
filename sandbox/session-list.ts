// Lists the sessions of this server, including those whose sandboxes are not open. It reads no journals
// except those of sessions that were running when a server ended, or that an earlier version stored.
import { join } from "node:path";
import type { ServerContext } from "./context.ts";
import { emptyRow } from "./journal/session-facts.ts";
import { keptRow } from "./journal/session-news.ts";
import * as limits from "./limits.ts";
import { readRecords } from "./sandbox-records.ts";

/**
 * SessionRows: the part of the list after `after`, the last changed first. If a session changes meanwhile, it
 * may appear twice or not at all.
 */
export async function listSessions(
  { options, registry }: ServerContext,
  after: string | undefined,
): Promise<{ rows: object[]; next: string | undefined }> {
  const dir = join(options.state, "sandboxes");
  const records = (await readRecords(dir)).filter(({ state }) => state !== "failed");
  const found = await Promise.all(
    records.map(async ({ id, workspace, createdAt }) => {
      const { notes, ...kept } = await keptRow(join(dir, id));
      // Padded, so that the texts sort by the last change.
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
    // A server may have been killed while a turn ran, before it could store the newest row.
    const opened = stage === undefined || stage === "running" ? await registry.find(row.id) : undefined;
    rows.push({ ...row, ...opened?.journal.facts.session.row });
  }
  return { rows, next: later.length > rows.length ? later[rows.length - 1]?.place : undefined };
}
