// What happens when the browser deleted the app's storage: what is in memory is stored again, the rest is reported as lost.
// Loaded when that has happened, or sessions are to be remembered for it.
import * as z from "zod/mini";
import type { Kv } from "../storage/kv.ts";
import { recordKey, type SessionRecord } from "../storage/session-record.ts";

/** Beside IndexedDB, and outlives it in most deletions: which sessions there are, and nothing of what was said. */
const key = "sessions";

/** More than this nobody looks for again; a record takes about 300 bytes of the few megabytes there are. */
const maxRemembered = 500;

/** What the list says of a session whose conversation is gone. */
const gone = { text: "Its conversation was deleted by the browser", mark: "hollow" } as const;

let remembered = "";

/** Notes which sessions there are, where that has changed; of none nothing. */
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
    // Full or forbidden: then they cannot be found again.
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

/** The sessions that were remembered, as what is left of them. Never throws. */
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
 * Stores the records again, but those that another tab has stored by now. Those of sessions that are not `open` have
 * nothing beside them any more.
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
