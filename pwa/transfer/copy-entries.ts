// Copies the history up to a message as the beginning of another session. Pure.
import { reduce } from "../../shared/session/reduce.ts";
import { type Entry, emptySession, type SessionState } from "../../shared/session/session-state.ts";

export interface Point {
  /** The message's place among the entries. */
  index: number;
  who: "You" | "Agent";
  text: string;
}

/** The messages with which a copy can end, newest first. */
export function pointsOf(entries: readonly Entry[]): Point[] {
  const points: Point[] = [];
  for (const [index, entry] of entries.entries()) {
    if (entry.event !== "message") continue;
    const { role, content } = entry.data.message;
    if (content.trim() === "" || (role !== "user" && role !== "assistant")) continue;
    points.unshift({ index, who: role === "user" ? "You" : "Agent", text: content });
  }
  return points;
}

/** The entries up to the message at `index`, with the results of its calls. A turn that is cut gets an end. */
export function entriesUpTo(entries: readonly Entry[], index: number): Entry[] {
  const entry = entries[index];
  const message = entry?.event === "message" ? entry.data.message : undefined;
  const calls = new Set(message?.role === "assistant" ? message.toolCalls?.map(({ id }) => id) : []);
  let end = index;
  for (let at = index + 1; at < entries.length && calls.size > 0; at += 1) {
    const next = entries[at];
    if (next?.event !== "message" || next.data.message.role !== "tool") continue;
    if (calls.delete(next.data.message.toolCallId)) end = at;
  }
  return ended(entries.slice(0, end + 1));
}

function ended(entries: Entry[]): Entry[] {
  const last = entries.at(-1);
  if (last === undefined || last.event === "turn.done" || last.event === "turn.failed") return entries;
  const done = { event: "turn.done", data: { reason: "stop", rounds: 0 } } as const;
  return [...entries, { ...done, id: last.id + 1, turnId: last.turnId }];
}

/**
 * A session of these entries with files of its own. Waiting questions and an active plan stay with the original
 * session, since each may be answered only once. Auto mode stays there as well, because it was chosen for that
 * session's files.
 */
export function sessionOf(entries: readonly Entry[]): SessionState {
  const { head } = entries.reduce(reduce, emptySession());
  return {
    ...emptySession(),
    head: {
      ...head,
      mode: head.mode === "auto" ? "normal" : head.mode,
      plan: null,
      proposal: null,
      asked: null,
      permission: null,
      changes: {},
    },
    entries,
  };
}
