// What was changed since a person last said something: what the end of a run tells.
import { addedChanges } from "../../shared/session/call-facts.ts";
import type { Entry, FileCount } from "../../shared/session/session-state.ts";

/** Lines added and removed by path, of the edits behind the last user message. Answers and permissions do not end a run. */
export function changesOfRun(entries: readonly Entry[]): Record<string, FileCount> {
  const said = entries.findLastIndex(
    (entry) => entry.event === "message" && entry.data.message.role === "user",
  );
  let changes: Record<string, FileCount> = {};
  for (const entry of entries.slice(said + 1)) {
    if (entry.event === "message" && entry.data.message.role === "tool") {
      changes = addedChanges(changes, entry.data.message);
    }
  }
  return changes;
}
