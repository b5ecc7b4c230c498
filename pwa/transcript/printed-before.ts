// The output of commands that may have run, by call. Pure.
import type { Entry } from "../../shared/session/session-state.ts";

export function printedBefore(entries: readonly Entry[]): ReadonlyMap<string, string> {
  const printed = new Map<string, string>();
  for (const entry of entries) {
    if (entry.event === "permission" && entry.data.output)
      printed.set(entry.data.toolCallId, entry.data.output);
  }
  return printed;
}
