// Decides which calls and messages have no row of their own and which are reordered, and gives the note below a text
// that was cut.
import type { AssistantMessage, Finish, ToolCall, ToolMessage } from "../../shared/message.ts";
import { planFirst } from "../../shared/plan/plan-first.ts";
import type { Entry } from "../../shared/session/session-state.ts";

/** The engine's text for a rejection without feedback. */
export const silentRejection = "Rejected. Plan it another way.";
/** Sources of events that the engine read without being asked. */
export const unaskedSources = new Set(["context_scan", "project_instructions"]);
/** The note below a text of which a part is missing. */
export const cutWords: Partial<Record<Finish, string>> = {
  aborted: "Stopped here.",
  length: "Cut off here: one answer of this model cannot be longer. Tell it to continue.",
  content_filter: "Cut off here by a filter of the provider.",
};

/**
 * The calls of an answer, each with the time at which the one before it had ended: a call that changes something begins
 * then. Reads run in parallel and may have begun earlier, which no row says.
 */
export function callsInTurn(
  { createdAt, toolCalls = [] }: AssistantMessage,
  results: ReadonlyMap<string, ToolMessage>,
): { call: ToolCall; since: number }[] {
  let since = createdAt;
  return toolCalls.map((call) => {
    const begun = { call, since };
    since = results.get(call.id)?.createdAt ?? since;
    return begun;
  });
}

/** If the person chose to plan first, the mode that this began is shown after the choice. */
export function choiceFirst(entries: readonly Entry[]): readonly Entry[] {
  const ordered = [...entries];
  for (const [index, entry] of entries.entries()) {
    if (entry.event !== "mode") continue;
    // The model's message of the mode, and the result that names the choice.
    const [told, result] = entries.slice(index + 1, index + 3);
    if (told && result?.event === "message" && planFirst(result.data.message))
      ordered.splice(index, 3, result, entry, told);
  }
  return ordered;
}
