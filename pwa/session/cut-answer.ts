// Notices that an answer which had begun to be written was cut off and thrown away: another one came in its place, or none.
import type { TurnEvent } from "../../shared/event.ts";
import type { CutAnswer, SessionState } from "../../shared/session/session-state.ts";

/** An answer that was seen in part. */
export interface Begun {
  turnId: string;
  messageId: string;
}

/** More of them in one session than this are not told apart any more; the oldest go. */
const maxCuts = 50;

/** What of an answer is on the screen and in no message yet; undefined where there is nothing. */
export function begunAnswer({ head, live: { partial } }: SessionState): Begun | undefined {
  const seen = partial !== null && (partial.text !== "" || partial.reasoning !== "");
  return seen && head.turn !== null ? { turnId: head.turn.id, messageId: partial.messageId } : undefined;
}

/**
 * What `event` does to an answer that was begun: "whole" = it came, "again" = another came in its place, "gone" = the
 * turn ended without one; undefined = nothing.
 */
export function fateOf(begun: Begun, event: TurnEvent): "whole" | "again" | "gone" | undefined {
  switch (event.event) {
    case "text.delta":
    case "reasoning.delta":
      return event.data.messageId === begun.messageId ? undefined : "again";
    case "message":
      if (event.data.message.role !== "assistant") return undefined;
      if (event.data.message.id === begun.messageId) return "whole";
      // What a stop writes where no runner was there to write what had come.
      return event.data.message.finish === "aborted" ? "gone" : "again";
    case "turn.done":
    case "turn.failed":
      return "gone";
    default:
      return undefined;
  }
}

/** The session with a note of the answer that was cut, after the last event that it has. */
export function withCut(state: SessionState, { turnId }: Begun, again: boolean): SessionState {
  const { head } = state;
  const cut: CutAnswer = { turnId, after: head.turn?.lastEventId ?? 0, again };
  return { ...state, head: { ...head, cuts: [...head.cuts, cut].slice(-maxCuts) } };
}

const key = (sessionId: string) => `begun/${sessionId}`;

/** Keeps what was begun for a page that goes away now, and comes back to another answer. */
export function keepBegun(sessionId: string, begun: Begun): void {
  try {
    localStorage.setItem(key(sessionId), `${begun.turnId} ${begun.messageId}`);
  } catch {
    // Full or forbidden: then it is not said.
  }
}

/** What was begun when the page went away, once. */
export function takeBegun(sessionId: string): Begun | undefined {
  try {
    const [turnId, messageId] = (localStorage.getItem(key(sessionId)) ?? "").split(" ");
    localStorage.removeItem(key(sessionId));
    return turnId && messageId ? { turnId, messageId } : undefined;
  } catch {
    return undefined;
  }
}
