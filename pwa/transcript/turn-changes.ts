// What happened since the person's last message, for the end of a run.
import type { Entry } from "../../shared/session/session-state.ts";
import { mayWrite } from "../session/count-changes.ts";

/**
 * Returns whether anything since the person's last message may have changed files. Answers and permissions do not end a
 * run.
 */
export function runMayHaveChanged(entries: readonly Entry[]): boolean {
  return runOf(entries).some(
    ({ event, data }) =>
      event === "message" &&
      data.message.role === "tool" &&
      data.message.mode !== "plan" &&
      mayWrite(data.message),
  );
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
