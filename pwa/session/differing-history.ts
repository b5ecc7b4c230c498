// What this phone drops if the server's history differs and the server's counts. Pure.
import type { HandrailError } from "../../shared/errors.ts";
import { reduce } from "../../shared/session/reduce.ts";
import { type Entry, emptySession, type SessionState } from "../../shared/session/session-state.ts";

export interface Difference {
  /** The turn that both have otherwise. */
  turnId: string;
  /** The last event of it that the server has; 0 = it does not know it. */
  lastId: number;
  /** What the server has is a copy, and may be older than what ran. */
  copied: boolean;
}

/** What `history_differs` says; it concerns the turn under way unless it names another. */
export function differenceIn({ details }: HandrailError, underWay: string): Difference {
  const { turnId, lastId, copied } = details ?? {};
  return {
    turnId: typeof turnId === "string" ? turnId : underWay,
    lastId: typeof lastId === "number" ? lastId : 0,
    copied: copied === true,
  };
}

/** The session without those turns, folded again from all of its `entries`. */
export function withoutTurns(
  entries: readonly Entry[],
  { head, live }: SessionState,
  dropped: ReadonlySet<string>,
): SessionState {
  const kept = entries.filter(({ turnId }) => !dropped.has(turnId));
  const folded = kept.reduce(
    (state, entry) => withPlan(reduce(state, entry), entry),
    emptySession(head.mode),
  );
  const { spent, cuts } = head;
  return {
    head: { ...folded.head, mode: head.mode, spent, cuts, entryCount: kept.length },
    entries: kept,
    live,
  };
}

/** Entries tell of a plan in its message alone. */
function withPlan(state: SessionState, entry: Entry): SessionState {
  const plan =
    entry.event === "message" && entry.data.message.role === "plan"
      ? entry.data.message.extra.plan
      : undefined;
  return plan === undefined ? state : { ...state, head: { ...state.head, plan } };
}

/** The first words that a person said in the turn; "" if there are none. */
export function firstUserText(turnId: string, entries: readonly Entry[]): string {
  for (const entry of entries) {
    if (entry.turnId !== turnId || entry.event !== "message") continue;
    if (entry.data.message.role === "user") return entry.data.message.content;
  }
  return "";
}
