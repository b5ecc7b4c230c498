// Decides which sessions the list shows: all that are not archived, or only those in the state that the person picked.
import { computed, signal } from "@preact/signals";
import type { SessionSummary } from "../../shared/session/session-summary.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { records } from "./app-state.ts";
import { server } from "./server-watch.ts";

export type ListedState = "needs" | "works" | "rests";

/** null shows all of them. The filter is not stored: at the next start a person would miss the hidden sessions. */
export const pickedState = signal<ListedState | null>(null);

/** Sessions with a question or a failure need the person. */
export function stateOf({ summary: { mark } }: SessionRecord): ListedState {
  return mark === "waiting" || mark === "failed" ? "needs" : mark === "running" ? "works" : "rests";
}

/** What the list says about the session. While the server does not answer, nobody knows whether a turn still runs. */
export function heardOf({ summary }: SessionRecord): SessionSummary {
  return summary.mark === "running" && server.value.kind === "away"
    ? { mark: "hollow", text: `Last heard: ${summary.text}` }
    : summary;
}

/** Returns whether the session changed after the person last looked, and no longer runs or asks for anything. */
export function isUnread(record: SessionRecord): boolean {
  const { seenAt, updatedAt } = record;
  return seenAt !== undefined && seenAt < updatedAt && stateOf(record) === "rests";
}

export const listedSessions = computed(() =>
  records.value.filter(
    (record) =>
      record.archived !== true && (pickedState.value === null || stateOf(record) === pickedState.value),
  ),
);
