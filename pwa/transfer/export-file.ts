// The file that sessions are exported to: its form.
import type { Entry, SessionHead } from "../../shared/session/session-state.ts";
import type { Draft } from "../storage/draft.ts";
import type { SessionRecord } from "../storage/session-record.ts";

export interface ExportedSession {
  record: SessionRecord;
  head: SessionHead;
  entries: readonly Entry[];
  draft?: Draft;
}

export function exportFile(sessions: readonly ExportedSession[], rest: object = {}): string {
  return JSON.stringify({ handrail: "sessions", version: 1, exportedAt: Date.now(), sessions, ...rest });
}
