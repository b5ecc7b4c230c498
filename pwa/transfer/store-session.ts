// A whole session into storage, and into the list.
import { historyForTurn, messagesOf } from "../../shared/session/history.ts";
import type { SessionState } from "../../shared/session/session-state.ts";
import { sessionSummary } from "../../shared/session/session-summary.ts";
import { config, kv, otherTabs } from "../app/app-state.ts";
import { listRecord } from "../app/open-sessions.ts";
import { type Draft, writeDraft } from "../storage/draft.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { sessionPuts } from "../storage/session-store.ts";
import { unmadeSessionInWords } from "../storage/storage-error.ts";

/** `undoPoints`: of the very sandbox of `record`. Throws an Error in words. */
export async function storeSession(
  record: SessionRecord,
  state: SessionState,
  draft: Draft,
  undoPoints?: SessionRecord["undoPoints"],
): Promise<void> {
  // Snapshots belong to the sandbox that they were taken in.
  const { deletedAt: _gone, undoPoints: _points, ...rest } = record;
  const summary = state.head.turn === null ? record.summary : sessionSummary(state);
  const kept = { ...rest, summary, ...(undoPoints && { undoPoints }) };
  await kv.write(sessionPuts(kept, state, 0)).catch((error: unknown) => {
    throw new Error(unmadeSessionInWords(error));
  });
  await writeDraft(kv, kept.id, draft);
  listRecord(kept);
  otherTabs.postMessage(kept.id);
}

/** Whether no request may carry what a next turn would post of it, as far as this server has said what it takes. */
export function tooLargeIn({ entries, head: { plan } }: SessionState): boolean {
  const maxBytes = config.value?.limits.maxBodyBytes;
  if (maxBytes === undefined) return false;
  const messages = historyForTurn(messagesOf(entries));
  return new Blob([JSON.stringify({ messages, plan })]).size > maxBytes;
}
