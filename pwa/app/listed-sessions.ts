// Which sessions the list shows: all that are not archived, or those of one state, where the person picked one.
import { computed, signal } from "@preact/signals";
import type { SessionRecord } from "../storage/session-record.ts";
import { records } from "./app-state.ts";

export type ListedState = "needs" | "works" | "rests";

/** null = all of them. Not stored: hidden sessions would be missed at the next start. */
export const pickedState = signal<ListedState | null>(null);

/** Sessions with a question or a failure need the person. */
export function stateOf({ summary: { mark } }: SessionRecord): ListedState {
  return mark === "waiting" || mark === "failed" ? "needs" : mark === "running" ? "works" : "rests";
}

/** In the order of the list. */
export const listedSessions = computed(() =>
  records.value.filter(
    (record) =>
      record.archived !== true && (pickedState.value === null || stateOf(record) === pickedState.value),
  ),
);
