// Detects that an answer was partly shown and then thrown away, because another answer or none replaced it.
import type { TurnEvent } from "../../shared/event.ts";
import type { AssistantMessage } from "../../shared/message.ts";
import { roundOf } from "../../shared/session/sampling-round.ts";
import type { CutAnswer, SessionState } from "../../shared/session/session-state.ts";

/** An answer that was partly shown. `seen` is the part that was on the screen, if it is still known. */
export interface Begun {
  turnId: string;
  messageId: string;
  seen?: string;
}

/** A session remembers this many answers that were cut off; older ones are forgotten. */
const maxCuts = 50;

/** The part of an answer that is on the screen but in no message yet; undefined if there is none. */
function begunAnswer({ head, live: { partial } }: SessionState): Begun | undefined {
  const seen = partial === null ? "" : partial.text || partial.reasoning;
  if (partial === null || seen === "" || head.turn === null) return undefined;
  return { turnId: head.turn.id, messageId: partial.messageId, seen };
}

/** Returns `begun` with the answer that is on the screen now and waits for its message. */
export function begunIn(state: SessionState, begun: readonly Begun[]): readonly Begun[] {
  const now = begunAnswer(state);
  if (now === undefined) return begun;
  return [...begun.filter(({ messageId }) => messageId !== now.messageId), now];
}

/**
 * Applies `event` to the answers that were begun. An answer's message is sent once it is journaled, so it may come
 * after pieces of the next answer. Therefore only a message of the same round, or the turn's end, shows that an answer
 * was thrown away.
 */
export function afterEvent(
  state: SessionState,
  begun: readonly Begun[],
  event: TurnEvent,
): { begun: readonly Begun[]; cut?: { turnId: string; again: boolean } } {
  const turnId = state.head.turn?.id;
  switch (event.event) {
    case "text.delta":
    case "reasoning.delta":
      // The next piece of another answer replaces it on the screen.
      return state.live.partial?.messageId === event.data.messageId
        ? { begun }
        : { begun: begunIn(state, begun) };
    case "turn.started":
      return { begun: event.data.turnId === turnId ? begun : [] };
    case "message": {
      const { message } = event.data;
      if (message.role !== "assistant") return { begun };
      const all = begunIn(state, begun).filter((one) => one.turnId === turnId);
      const ofRound = all.filter((one) => roundOf(one.messageId) === roundOf(message.id));
      const rest = all.filter((one) => !ofRound.includes(one));
      return {
        begun: rest,
        ...cutOf(
          ofRound.filter((one) => !isTold(one, message)),
          true,
        ),
      };
    }
    case "turn.done":
    case "turn.failed":
      return {
        begun: [],
        ...cutOf(
          begunIn(state, begun).filter((one) => one.turnId === turnId),
          false,
        ),
      };
    default:
      return { begun };
  }
}

function cutOf([first]: readonly Begun[], again: boolean): { cut?: { turnId: string; again: boolean } } {
  return first === undefined ? {} : { cut: { turnId: first.turnId, again } };
}

/**
 * Returns whether `message` contains the shown text, perhaps under another id: text that turned out to be reasoning is
 * sent again as reasoning.
 */
function isTold({ messageId, seen }: Begun, { id, content, reasoning = "" }: AssistantMessage): boolean {
  const words = seen?.trim();
  return id === messageId || (words !== undefined && (content.includes(words) || reasoning.includes(words)));
}

/** Returns the session with a note about the thrown-away answer, after the last event that it has. */
export function withCut(
  state: SessionState,
  { turnId, again }: { turnId: string; again: boolean },
): SessionState {
  const { head } = state;
  const cut: CutAnswer = { turnId, after: head.turn?.lastEventId ?? 0, again };
  return { ...state, head: { ...head, cuts: [...head.cuts, cut].slice(-maxCuts) } };
}

const key = (sessionId: string) => `begun/${sessionId}`;

/**
 * Stores the ids of answers that are partly on the screen, so that the next page can still report it if another answer
 * replaces them.
 */
export function keepBegun(sessionId: string, begun: readonly Begun[]): void {
  const [first] = begun;
  if (first === undefined) return;
  const ids = begun.filter(({ turnId }) => turnId === first.turnId).map(({ messageId }) => messageId);
  try {
    localStorage.setItem(key(sessionId), [first.turnId, ...ids].join(" "));
  } catch {
    // Storage is full or forbidden: then the person is not told of the answer.
  }
}

/** What `keepBegun` stored before the page closed. Deletes it. */
export function takeBegun(sessionId: string): Begun[] {
  try {
    const [turnId, ...ids] = (localStorage.getItem(key(sessionId)) ?? "").split(" ");
    localStorage.removeItem(key(sessionId));
    return turnId ? ids.map((messageId) => ({ turnId, messageId })) : [];
  } catch {
    return [];
  }
}
