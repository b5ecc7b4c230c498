// What this phone drops if the server's history differs and the person chooses it. Pure.
import type { HandrailError } from "../../shared/errors.ts";
import { reduce } from "../../shared/session/reduce.ts";
import { type Entry, emptySession, type SessionState } from "../../shared/session/session-state.ts";

export interface Difference {
  /** The turn in which the two histories differ. */
  turnId: string;
  /** The last event of that turn that the server has; 0 if the server does not know the turn. */
  lastId: number;
  /** True if the server has only a copy, which may be older than what ran. */
  copied: boolean;
}

/** The facts of the error `history_differs`. They concern the current turn unless the error names another. */
export function differenceIn({ details }: HandrailError, underWay: string): Difference {
  const { turnId, lastId, copied } = details ?? {};
  return {
    turnId: typeof turnId === "string" ? turnId : underWay,
    lastId: typeof lastId === "number" ? lastId : 0,
    copied: copied === true,
  };
}

/** Returns the session without the `dropped` turns, computed again from all of its `entries`. */
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

/** Restores the plan from its message: the entries contain it nowhere else. */
function withPlan(state: SessionState, entry: Entry): SessionState {
  const plan =
    entry.event === "message" && entry.data.message.role === "plan"
      ? entry.data.message.extra.plan
      : undefined;
  return plan === undefined ? state : { ...state, head: { ...state.head, plan } };
}

/** The first words that a person wrote in the turn; "" if there are none. */
export function firstUserText(turnId: string, entries: readonly Entry[]): string {
  for (const entry of entries) {
    if (entry.turnId !== turnId || entry.event !== "message") continue;
    if (entry.data.message.role === "user") return entry.data.message.content;
  }
  return "";
}
