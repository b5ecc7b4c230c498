// The changes since the person's last message, for the end of a run.
import { addedChanges } from "../../shared/session/call-facts.ts";
import type { Entry, FileCount } from "../../shared/session/session-state.ts";

/**
 * By path: the lines that edits added and removed since the last user message. Answers and permissions do not end a
 * run.
 */
export function changesOfRun(entries: readonly Entry[]): Record<string, FileCount> {
  let changes: Record<string, FileCount> = {};
  for (const entry of runOf(entries)) {
    if (entry.event === "message" && entry.data.message.role === "tool") {
      changes = addedChanges(changes, entry.data.message);
    }
  }
  return changes;
}

/** Returns whether the last run ended with the summary of a finished plan. */
export function runFinished(entries: readonly Entry[]): boolean {
  return runOf(entries).some(
    ({ event, data }) =>
      event === "message" &&
      data.message.role === "event" &&
      data.message.extra.event.subkind === "verifier_report" &&
      data.message.extra.event.data.kind === "finish",
  );
}

function runOf(entries: readonly Entry[]): readonly Entry[] {
  const said = entries.findLastIndex(
    (entry) => entry.event === "message" && entry.data.message.role === "user",
  );
  return entries.slice(said + 1);
}
