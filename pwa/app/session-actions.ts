// What is done with a session as a whole: archive, delete and take that back. Its files on the server go with it.
import { signal } from "@preact/signals";
import { readRecord, recordKey, type SessionRecord } from "../storage/session-record.ts";
import { deleteSession } from "../storage/session-store.ts";
import { kv, otherTabs } from "./app-state.ts";
import { keepChoice } from "./keep-choice.ts";
import { deleteLeftovers, leftoverOf } from "./leftover-sandboxes.ts";
import { heldSession, letGo, listRecord, saveWhatWaits } from "./open-sessions.ts";

/** How long a deletion can be taken back where it was made. */
export const undoMs = 12_000;
/** A deletion found later than this after a start is nobody's to take back any more. */
const forgottenMs = 60_000;

/** What was deleted or archived last and can be taken back. */
export const undoable = signal<{ record: SessionRecord; did: "deleted" | "archived" } | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Changes the record where it is written: by the session that this tab holds, else in storage. */
export async function changeSession(id: string, change: Partial<SessionRecord>): Promise<void> {
  const held = await heldSession(id)?.catch(() => undefined);
  if (held?.session.writes.value) {
    await held.session.choose(change);
    return;
  }
  const record = await readRecord(kv, id);
  if (record === undefined) return;
  listRecord({ ...record, ...change });
  const write = async () => {
    const stored = await readRecord(kv, id);
    if (stored !== undefined) await kv.write([[recordKey(id), { ...stored, ...change }]]);
  };
  // Where storage is full a session can still be deleted: the mark for it is then in memory alone.
  if (change.deletedAt !== undefined) await write().catch(() => undefined);
  else await keepChoice(recordKey(id), write);
  otherTabs.postMessage(id);
}

/** It leaves the list immediately, and this device once the deletion cannot be undone any more. */
export async function deleteWithUndo(record: SessionRecord): Promise<void> {
  await forget();
  await changeSession(record.id, { deletedAt: Date.now() });
  offerUndo(record, "deleted");
}

export async function archive(record: SessionRecord, archived: boolean): Promise<void> {
  await forget();
  await changeSession(record.id, { archived });
  if (archived) offerUndo(record, "archived");
}

export async function undo(): Promise<void> {
  const last = undoable.value;
  clearTimeout(timer);
  undoable.value = null;
  if (last === null) return;
  await changeSession(
    last.record.id,
    last.did === "deleted" ? { deletedAt: undefined } : { archived: false },
  );
}

function offerUndo(record: SessionRecord, did: "deleted" | "archived"): void {
  undoable.value = { record, did };
  timer = setTimeout(() => void forget(), undoMs);
}

/** Ends what could be taken back: what was deleted is gone. */
async function forget(): Promise<void> {
  clearTimeout(timer);
  const last = undoable.value;
  undoable.value = null;
  if (last?.did === "deleted") await removeSession(last.record.id);
}

/** Removes everything kept of a session on this device, and on the server what was its own there. */
async function removeSession(id: string): Promise<void> {
  await letGo(id);
  const record = await readRecord(kv, id);
  // In one write: a page that goes away between the two would leave the server's part for ever.
  const leftover = record === undefined ? [] : leftoverOf(record);
  await deleteSession(kv, id, leftover).catch(() => deleteSession(kv, id));
  otherTabs.postMessage(id);
  await saveWhatWaits();
  await deleteLeftovers();
}

/** Removes what was deleted before the app was closed, and what the server could not be told then. */
export async function removeDeleted(now = Date.now()): Promise<void> {
  for (const [, value] of await kv.range("session/")) {
    if (typeof value !== "object" || value === null || !("deletedAt" in value) || !("id" in value)) continue;
    const { id, deletedAt } = value;
    if (typeof deletedAt === "number" && typeof id === "string" && deletedAt < now - forgottenMs)
      await removeSession(id);
  }
  await deleteLeftovers();
}
