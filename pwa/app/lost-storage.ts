// Recovers after the browser deleted the app's storage: data still in memory is stored again, and the rest is reported
// as lost. Loaded after such a loss, or to note which sessions exist in case of one.
import * as z from "zod/mini";
import type { Kv } from "../storage/kv.ts";
import { recordKey, type SessionRecord } from "../storage/session-record.ts";

/**
 * This key is stored outside of IndexedDB and survives most deletions of it. It notes which sessions exist, without
 * their content.
 */
const key = "sessions";

/** More sessions than this are not remembered. A record takes about 300 bytes of a few million. */
const maxRemembered = 500;

/** Shown in the list for a session whose conversation was lost. */
const gone = { text: "Its conversation was deleted by the browser", mark: "hollow" } as const;

let remembered = "";

/** Notes which sessions exist, if that has changed. Without sessions nothing is noted. */
export function rememberSessions(records: readonly SessionRecord[]): void {
  const slim = records.slice(0, maxRemembered).map((record) => {
    const { id, title, sandboxId, workspace, createdAt, demo } = record;
    return { id, title, sandboxId, workspace, createdAt, demo };
  });
  const text = JSON.stringify(slim.sort((a, b) => b.createdAt - a.createdAt));
  if (text === remembered) return;
  remembered = text;
  try {
    if (records.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Storage is full or forbidden: then the sessions cannot be found again after a loss.
  }
}

const Remembered = z.array(
  z.object({
    id: z.string(),
    title: z.string(),
    sandboxId: z.string(),
    workspace: z.string(),
    createdAt: z.number(),
    demo: z.boolean(),
  }),
);

/** Returns the remembered sessions, as far as they can be restored. Never throws. */
export function rememberedSessions(): SessionRecord[] {
  try {
    const parsed = z.safeParse(Remembered, JSON.parse(localStorage.getItem(key) ?? "[]"));
    const found = parsed.success ? parsed.data : [];
    return found.map((record) => ({ ...record, updatedAt: record.createdAt, summary: gone, lost: true }));
  } catch {
    return [];
  }
}

/**
 * Stores the records again, except those that another tab has stored in the meantime. For a session that is not `open`,
 * only the record remains.
 */
export async function storeAgain(
  kv: Kv,
  records: readonly SessionRecord[],
  open: ReadonlySet<string>,
): Promise<SessionRecord[]> {
  const kept: SessionRecord[] = [];
  for (const record of records) {
    const left = open.has(record.id) ? record : { ...record, summary: gone, lost: true };
    await kv.update(recordKey(record.id), (stored) => stored ?? left);
    kept.push(left);
  }
  return kept;
}
