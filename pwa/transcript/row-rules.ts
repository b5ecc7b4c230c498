// Rules for rows: which calls and messages have none of their own, which are reordered, and the note below a text that
// was cut off.
import type { Finish } from "../../shared/message.ts";
import { planFirst } from "../../shared/plan/plan-first.ts";
import type { Entry } from "../../shared/session/session-state.ts";

/** The engine's text for a rejection without feedback. */
export const silentRejection = "Rejected. Plan it another way.";
/** The sources of events in which the engine reports what it read without being asked. */
export const unaskedSources = new Set(["context_scan", "project_instructions"]);
/** The note below a text that is incomplete. */
export const cutWords: Partial<Record<Finish, string>> = {
  aborted: "Stopped here.",
  length: "Cut off here: one answer of this model cannot be longer. Tell it to go on.",
  content_filter: "Cut off here by a filter of the provider.",
};

/** Moves the switch to plan mode after the person's choice to plan first, which caused it. */
export function choiceFirst(entries: readonly Entry[]): readonly Entry[] {
  const ordered = [...entries];
  for (const [index, entry] of entries.entries()) {
    if (entry.event !== "mode") continue;
    // The message that tells the model about the mode, and the call's result with the choice.
    const [told, result] = entries.slice(index + 1, index + 3);
    if (told && result?.event === "message" && planFirst(result.data.message))
      ordered.splice(index, 3, result, entry, told);
  }
  return ordered;
}
