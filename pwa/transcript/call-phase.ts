// How far a call without a result has come: queued, needs approval, running, checking. Read off what the sandbox told.
import { isEventOf } from "../../shared/session/history.ts";
import type { SessionState, StartedCall } from "../../shared/session/session-state.ts";
import { exploreSubkind } from "../../shared/session/spending.ts";
import { type Permission, permissionsOf, waitingFor } from "../../shared/session/waiting.ts";
import type { decidedOn } from "../session/decisions.ts";
import type { OpenSession } from "../session/open-session.ts";

export type CallPhase =
  | { kind: "queued" }
  /** `allowed`: the decision, while the turn has not reached it yet. */
  | { kind: "asked"; decided?: "allowed" | "denied" }
  /** `at`: since when, milliseconds; undefined = a server of an earlier version, which does not tell. */
  | { kind: "running"; at: number | undefined }
  | { kind: "checking"; at: number; command: string; limitMs?: number | undefined };

type HowDecided = ReturnType<typeof decidedOn>;

/** Since when a helper looks around, milliseconds: the edge runs it, so that no sandbox tells when it begins. */
function looksSince(id: string, { head, entries }: SessionState): number | undefined {
  const helpers = head.openCalls.filter(({ name }) => name === "explore");
  if (!helpers.some((call) => call.id === id)) return undefined;
  const messages = entries.flatMap((entry) => (entry.event === "message" ? [entry.data.message] : []));
  const answered = messages.some(
    (message) => isEventOf(message, exploreSubkind) && message.extra.event.data.toolCallId === id,
  );
  // Between other calls it has begun for sure once its model has answered.
  if (!answered && helpers.length < head.openCalls.length) return undefined;
  return messages.findLast((message) => message.role === "assistant")?.createdAt;
}

export function phaseOf(
  id: string,
  state: SessionState,
  decided: (asked: Permission) => HowDecided,
): CallPhase {
  const { head, live } = state;
  const begun: StartedCall | undefined = live.started[id];
  if (begun?.check) return { kind: "checking", at: begun.at, ...begun.check };
  if (begun) return { kind: "running", at: begun.at };
  if (live.output[id] !== undefined) return { kind: "running", at: undefined };
  const asked = permissionsOf(head).find(({ toolCallId }) => toolCallId === id);
  if (asked === undefined) {
    const at = looksSince(id, state);
    return at === undefined ? { kind: "queued" } : { kind: "running", at };
  }
  const decision = decided(asked);
  if (decision === undefined) return { kind: "asked" };
  return { kind: "asked", decided: decision === "deny" || decision === "never" ? "denied" : "allowed" };
}

/** `away`: there is no news of the turn, so nobody knows whether a call still runs. */
export function phaseInWords(phase: CallPhase, away = false): string {
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
      return away ? "Was running" : "Running";
    case "checking":
      return away ? "Was checking" : "Checking";
  }
}

/** Whether the card of the running turn is on the screen: open calls are shown there and not in the transcript. */
export function hasNow(session: OpenSession): boolean {
  return session.outbox.value.turn !== null || waitingFor(session.settled.value).kind === "permission";
}
