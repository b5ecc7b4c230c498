// Stores a whole session and adds it to the list.
import { historyForTurn, messagesOf } from "../../shared/session/history.ts";
import type { SessionState } from "../../shared/session/session-state.ts";
import { sessionSummary } from "../../shared/session/session-summary.ts";
import { config, kv, otherTabs } from "../app/app-state.ts";
import { listRecord } from "../app/open-sessions.ts";
import { type Draft, writeDraft } from "../storage/draft.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { sessionPuts } from "../storage/session-store.ts";
import { unmadeSessionInWords } from "../storage/storage-error.ts";

/** `undoPoints` belong to the sandbox of `record`. Throws an Error with words for the person. */
export async function storeSession(
  record: SessionRecord,
  state: SessionState,
  draft: Draft,
  undoPoints?: SessionRecord["undoPoints"],
): Promise<void> {
  // Leave out undo points, which belong to the sandbox where they were taken, and the original session's unsent text.
  const { deletedAt: _gone, undoPoints: _points, unsent: _typed, seenAt: _seen, ...rest } = record;
  const summary = state.head.turn === null ? record.summary : sessionSummary(state);
  const kept = { ...rest, summary, ...(undoPoints && { undoPoints }) };
  await kv.write(sessionPuts(kept, state, 0)).catch((error: unknown) => {
    throw new Error(unmadeSessionInWords(error));
  });
  await writeDraft(kv, kept.id, draft);
  listRecord(kept);
  otherTabs.postMessage(kept.id);
}

/** Returns whether the next turn's request would exceed this server's limit; false if the limit is not known. */
export function tooLargeIn({ entries, head: { plan } }: SessionState): boolean {
  const maxBytes = config.value?.limits.maxBodyBytes;
  if (maxBytes === undefined) return false;
  const messages = historyForTurn(messagesOf(entries));
  return new Blob([JSON.stringify({ messages, plan })]).size > maxBytes;
}
