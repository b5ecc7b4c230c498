// The phase of a call without a result: queued, needs approval, running, checking. Derived from the sandbox's reports.

import { exploreSubkind, helpersAtOnce } from "../../shared/explore.ts";
import { isEventOf } from "../../shared/session/history.ts";
import type { SessionState, StartedCall } from "../../shared/session/session-state.ts";
import { type Permission, permissionsOf, waitingFor } from "../../shared/session/waiting.ts";
import type { decidedOn } from "../session/decisions.ts";
import type { OpenSession } from "../session/open-session.ts";
import { isStill } from "../turn/connection.ts";
import { readsOf } from "./call-words.ts";

export type CallPhase =
  | { kind: "queued" }
  /** `allowed` is the decision, until the turn reaches it. */
  | { kind: "asked"; decided?: "allowed" | "denied" }
  /**
   * `at` is when it began, in milliseconds; undefined if the server has an earlier version, which does not report it.
   */
  | { kind: "running"; at: number | undefined }
  /** A helper that has reported, while other helpers of the same answer still explore. */
  | { kind: "reported" }
  /** A check that hit its time limit. */
  | { kind: "late"; command: string; limitMs?: number | undefined }
  | { kind: "checking"; at: number; command: string; limitMs?: number | undefined };

type HowDecided = ReturnType<typeof decidedOn>;

/** How far an exploring helper has come. The edge runs it, so the sandbox does not report when it begins. */
function helperPhase(id: string, { head, entries }: SessionState): CallPhase {
  const messages = entries.flatMap((entry) => (entry.event === "message" ? [entry.data.message] : []));
  const answer = messages.findLast((message) => message.role === "assistant");
  const helpers = answer?.toolCalls?.filter(({ name }) => name === "explore") ?? [];
  const last = messages
    .filter((message) => isEventOf(message, exploreSubkind))
    .findLast(({ extra }) => extra.event.data.toolCallId === id);
  const isSent = helpers.slice(0, helpersAtOnce).some((call) => call.id === id);
  // Next to other calls, the helper has certainly begun only once its model has answered.
  const others = head.openCalls.some(({ name }) => name !== "explore");
  if (!answer || !isSent || (!last && others)) return { kind: "queued" };
  // The round that contains the report has no calls.
  return last && readsOf(last) === 0 ? { kind: "reported" } : { kind: "running", at: answer.createdAt };
}

export function phaseOf(
  id: string,
  state: SessionState,
  decided: (asked: Permission) => HowDecided,
): CallPhase {
  const { head, live } = state;
  const begun: StartedCall | undefined = live.started[id];
  if (begun?.check && begun.outOfTime) return { kind: "late", ...begun.check };
  if (begun?.check) return { kind: "checking", at: begun.at, ...begun.check };
  if (begun) return { kind: "running", at: begun.at };
  if (live.output[id] !== undefined) return { kind: "running", at: undefined };
  const asked = permissionsOf(head).find(({ toolCallId }) => toolCallId === id);
  if (asked === undefined) return helperPhase(id, state);
  const decision = decided(asked);
  if (decision === undefined) return { kind: "asked" };
  return { kind: "asked", decided: decision === "deny" || decision === "never" ? "denied" : "allowed" };
}

/** `away` means that no events of the turn arrive, so it is unknown whether a call still runs. */
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
    case "reported":
      return "Reported";
    case "late":
      return "Out of time";
    case "checking":
      return away ? "Was checking" : "Checking";
  }
}

/**
 * Returns whether the card of the running turn is on the screen: open calls are shown there and not in the transcript.
 */
export function hasNow(session: OpenSession): boolean {
  // Before a turn is sent, nothing of it can have run, and the bar says so.
  const sent = session.begun.value || !isStill(session.connection.value);
  const runs = session.outbox.value.turn !== null && sent;
  return runs || waitingFor(session.settled.value).kind === "permission";
}
