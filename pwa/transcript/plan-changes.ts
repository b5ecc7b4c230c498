// Finds the calls that would have changed a running plan and about which the person was asked. Pure.
import type { Entry } from "../../shared/session/session-state.ts";

export function planChanges(entries: readonly Entry[]): ReadonlySet<string> {
  return new Set(
    entries.flatMap((entry) =>
      entry.event === "permission" && entry.data.risk === "plan_change" ? [entry.data.toolCallId] : [],
    ),
  );
}
