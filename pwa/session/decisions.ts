// A person's decisions about waiting calls, and which of these calls is shown.
import { type Permission, permissionsOf, waitingFor } from "../../shared/session/waiting.ts";
import type { Draft } from "../storage/draft.ts";
import type { OpenSession } from "./open-session.ts";
import { covers, decisionOn, type KeptDecision, permitInput, sentOn } from "./permit-input.ts";

/** The shown part of a waiting batch: the next call to decide on, its position, and earlier decisions. */
export interface AskedNow {
  /** Undefined once all are decided, even though the turn has not reached the calls yet. */
  next: Permission | undefined;
  /** Counted from 1. */
  place: number;
  total: number;
  decided: readonly { asked: Permission; decision: KeptDecision }[];
  /** Those without a decision, beginning with `next`. */
  open: readonly Permission[];
}

/** Undefined if no permission is asked for. While a turn runs, this includes calls that it has not reached yet. */
export function askedNow(session: OpenSession): AskedNow | undefined {
  const { head } = session.settled.value;
  // A call whose decision is being sent is not asked about again, although the turn has not reached it yet.
  const input = session.outbox.value.turn?.input;
  const all = permissionsOf(head).filter((asked) => sentOn(asked, input) === undefined);
  if (all.length === 0) return undefined;
  const rests = session.outbox.value.turn === null;
  if (rests && waitingFor(session.settled.value).kind !== "permission") return undefined;
  const kept = session.draft.value.decisions;
  const decided = all.flatMap((asked) => {
    const decision = decisionOn(asked, kept);
    return decision === undefined ? [] : [{ asked, decision }];
  });
  const open = all.filter((asked) => decisionOn(asked, kept) === undefined);
  const [next] = open;
  const place = next === undefined ? all.length : all.indexOf(next) + 1;
  return { next, place, total: all.length, decided, open };
}

/** The decision on a call, whether it was sent or not. */
export function decidedOn(session: OpenSession, asked: Permission): ReturnType<typeof sentOn> {
  const kept = decisionOn(asked, session.draft.value.decisions)?.decision;
  return kept ?? sentOn(asked, session.outbox.value.turn?.input);
}

/** Keeps a decision, and sends all of them once every call is decided and no turn runs. */
export function decide(
  session: OpenSession,
  asked: Permission,
  decision: KeptDecision["decision"],
  reason = "",
): void {
  const text = reason.trim();
  const lasts = decision === "session" || decision === "never";
  const same = lasts ? (askedNow(session)?.open ?? []).filter((other) => covers(asked, other)) : [];
  const made = [asked, ...same.filter((other) => other !== asked)].map(
    ({ toolCallId, arguments: json, why }) => ({
      ...{ toolCallId, arguments: json, why, decision },
      ...(text === "" ? {} : { text }),
    }),
  );
  session.setDraft({ decisions: [...without(session, asked), ...made], denial: "" });
  // The list of sessions shows the questions that are still open.
  void session.choose({});
  if (session.outbox.value.turn !== null) return;
  const waiting = waitingFor(session.state.value);
  const input =
    waiting.kind === "permission" ? permitInput(waiting.asked, session.draft.value.decisions) : undefined;
  if (input !== undefined) session.send(input, { clears: { decisions: [] } });
}

/** Takes back a decision that was not sent yet. */
export function undecide(session: OpenSession, asked: Permission): void {
  session.setDraft({ decisions: without(session, asked) });
  void session.choose({});
}

function without(session: OpenSession, { toolCallId }: Permission): Draft["decisions"] {
  return session.draft.value.decisions.filter((other) => other.toolCallId !== toolCallId);
}
