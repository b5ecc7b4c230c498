// Actions on a whole session: archive, delete, and their undo. Deleting a session also deletes its files on the server.
import { signal } from "@preact/signals";
import { listBin, readRecord, recordKey, type SessionRecord } from "../storage/session-record.ts";
import { deleteSession } from "../storage/session-store.ts";
import { binMs } from "../words/bin-words.ts";
import { kv, otherTabs } from "./app-state.ts";
import { keepChoice } from "./keep-choice.ts";
import { deleteLeftovers, leftoverOf } from "./leftover-sandboxes.ts";
import { heldSession, letGo, listRecord, saveWhatWaits } from "./open-sessions.ts";

/** How long Undo is offered after something was deleted or archived. The bin keeps it for longer. */
const undoMs = 12_000;

/** The latest deletion or archiving, which can be undone. */
export const undoable = signal<{ record: SessionRecord; did: "deleted" | "archived" } | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Changes the record in the session that this tab holds; if it holds none, in storage. */
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
  // A session can be deleted even if storage is full: then the mark is only in memory.
  if (change.deletedAt !== undefined) await write().catch(() => undefined);
  else await keepChoice(recordKey(id), write);
  otherTabs.postMessage(id);
}

/** The session leaves the list immediately, and this device when the bin has kept it long enough. */
export async function deleteWithUndo(record: SessionRecord): Promise<void> {
  forget();
  await changeSession(record.id, { deletedAt: Date.now() });
  await showBin();
  const kept = (await readRecord(kv, record.id).catch(() => undefined))?.deletedAt !== undefined;
  offerUndo(record, "deleted", kept);
}

/** Moves a session from the bin back into the list. */
export async function restore(id: string): Promise<void> {
  endOffer(id);
  await changeSession(id, { deletedAt: undefined });
  await showBin();
}

/** Deletes the sessions in the bin for good, with their files on the server. */
export async function deleteForGood(ids: readonly string[]): Promise<void> {
  for (const id of ids) await removeSession(id);
  await showBin();
}

/** The sessions in the bin, newest first. */
export const bin = signal<readonly SessionRecord[]>([]);

export async function showBin(): Promise<void> {
  bin.value = await listBin(kv);
}

export async function archive(record: SessionRecord, archived: boolean): Promise<void> {
  forget();
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
  await showBin();
}

/**
 * `kept` is false if storage is so full that it did not even take the mark. Then the session is deleted at once to make
 * room.
 */
function offerUndo(record: SessionRecord, did: "deleted" | "archived", kept = true): void {
  undoable.value = { record, did };
  timer = setTimeout(() => {
    forget();
    if (!kept) void removeSession(record.id);
  }, undoMs);
}

/** Ends the offer to undo; deleted sessions stay in the bin. */
function forget(): void {
  clearTimeout(timer);
  undoable.value = null;
}

/** The session has left the bin: there is nothing to undo any more. */
function endOffer(id: string): void {
  if (undoable.value?.record.id === id) forget();
}

/** Removes everything of a session on this device, and its own files on the server. */
async function removeSession(id: string): Promise<void> {
  endOffer(id);
  await letGo(id);
  const record = await readRecord(kv, id);
  // Both are removed in one write. If the page were closed between two writes, the server's part would stay for ever.
  const leftover = record === undefined ? [] : leftoverOf(record);
  await deleteSession(kv, id, leftover).catch(() => deleteSession(kv, id));
  otherTabs.postMessage(id);
  await saveWhatWaits();
  await deleteLeftovers();
}

/**
 * Removes the sessions that the bin has kept long enough, and repeats deletions that the server could not be told of
 * before.
 */
export async function removeDeleted(now = Date.now()): Promise<void> {
  for (const [, value] of await kv.range("session/")) {
    if (typeof value !== "object" || value === null || !("deletedAt" in value) || !("id" in value)) continue;
    const { id, deletedAt } = value;
    if (typeof deletedAt === "number" && typeof id === "string" && deletedAt < now - binMs)
      await removeSession(id);
  }
  await showBin();
  await deleteLeftovers();
}
