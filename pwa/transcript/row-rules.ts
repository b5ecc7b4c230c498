// Which calls and messages have no row of their own in the transcript, and what is said below a text that was cut.
import type { Finish } from "../../shared/message.ts";

/** What the engine writes for a rejection without feedback. */
export const silentRejection = "Rejected. Plan it another way.";
/** Sources of what the engine looked at by itself. */
export const unaskedSources = new Set(["context_scan", "project_instructions"]);
/** What is said below a text that is not whole. */
export const cutWords: Partial<Record<Finish, string>> = {
  aborted: "Stopped here.",
  length: "Cut off here: the model may write no more in one answer. Tell it to go on.",
  content_filter: "Cut off here by a filter of the provider.",
};
