// Finds a plan in the history. Pure.
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { Entry } from "../../shared/session/session-state.ts";

/** The plan of that version as it was installed; undefined where it is not among the entries. */
export function planMessage(entries: readonly Entry[], version: number): Plan | undefined {
  for (const entry of entries) {
    if (entry.event !== "message" || entry.data.message.role !== "plan") continue;
    if (entry.data.message.extra.plan.version === version) return entry.data.message.extra.plan;
  }
  return undefined;
}
