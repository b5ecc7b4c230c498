// How far a call without a result has come: queued, needs approval, running, checking. Read off what the sandbox told.
import type { SessionState, StartedCall } from "../../shared/session/session-state.ts";
import { type Permission, permissionsOf, waitingFor } from "../../shared/session/waiting.ts";
import type { decidedOn } from "../session/decisions.ts";
import type { OpenSession } from "../session/open-session.ts";

export type CallPhase =
  | { kind: "queued" }
  /** `allowed`: what was decided, where the turn has not come to it yet. */
  | { kind: "asked"; decided?: "allowed" | "denied" }
  /** `at`: since when, milliseconds; undefined = a server of an earlier version, which does not tell. */
  | { kind: "running"; at: number | undefined }
  | { kind: "checking"; at: number; command: string; limitMs?: number | undefined };

type HowDecided = ReturnType<typeof decidedOn>;

export function phaseOf(
  id: string,
  { head, live }: SessionState,
  decided: (asked: Permission) => HowDecided,
): CallPhase {
  const begun: StartedCall | undefined = live.started[id];
  if (begun?.check) return { kind: "checking", at: begun.at, ...begun.check };
  if (begun) return { kind: "running", at: begun.at };
  if (live.output[id] !== undefined) return { kind: "running", at: undefined };
  const asked = permissionsOf(head).find(({ toolCallId }) => toolCallId === id);
  if (asked === undefined) return { kind: "queued" };
  const decision = decided(asked);
  if (decision === undefined) return { kind: "asked" };
  return { kind: "asked", decided: decision === "deny" || decision === "never" ? "denied" : "allowed" };
}

export function phaseInWords(phase: CallPhase): string {
  switch (phase.kind) {
    case "queued":
      return "Queued";
    case "asked":
      return phase.decided === undefined
        ? "Needs approval"
        : phase.decided === "denied"
          ? "Denied"
          : "Allowed";
    case "running":
      return "Running";
    case "checking":
      return "Checking";
  }
}

/** Whether the card of what is under way is on the screen: open calls are shown there and not in the transcript. */
export function hasNow(session: OpenSession): boolean {
  return session.outbox.value.turn !== null || waitingFor(session.settled.value).kind === "permission";
}
