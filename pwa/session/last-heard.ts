// When a session was last heard of. Pure.
import type { SessionState } from "../../shared/session/session-state.ts";

/** The time of the newest message, milliseconds; undefined where there is none among the entries at hand. */
export function lastHeardAt({ entries }: SessionState): number | undefined {
  const last = entries.findLast((entry) => entry.event === "message");
  return last?.event === "message" ? last.data.message.createdAt : undefined;
}
