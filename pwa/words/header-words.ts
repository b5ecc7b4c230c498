// The line under a session's title: what the session waits for, in the words of the list, or the state of the
// connection. Pure.
import type { SessionState } from "../../shared/session/session-state.ts";
import { sessionSummary } from "../../shared/session/session-summary.ts";
import { waitingFor } from "../../shared/session/waiting.ts";
import { type Connection, connectionInWords } from "../turn/connection.ts";

export interface HeaderWords {
  text: string;
  /** Whether there is room before `text` for what the session works on. */
  about: boolean;
}

/**
 * A problem with the connection comes first, then a call that may have run, then that missed events were caught up,
 * then anything else that waits. That another tab writes is not mentioned, because a notice says so. `asks` says
 * whether a call that needs approval is still undecided; undefined if none needs it. `isEdited`: as in
 * `sessionSummary`.
 */
export function headerWords(
  state: SessionState,
  connection: Connection,
  asks?: boolean,
  isEdited?: boolean,
): HeaderWords {
  const quiet = connection.kind === "idle" || connection.kind === "live" || connection.kind === "elsewhere";
  const waiting = waitingFor(state);
  const needs = waiting.kind === "permission" && waiting.permission.risk === "outcome_unknown";
  if (quiet && asks === true && !needs && (waiting.kind === "nothing" || waiting.kind === "permission"))
    return { text: "Needs approval", about: waiting.kind === "nothing" };
  const decided = waiting.kind === "permission" && asks === false;
  if ((quiet && waiting.kind !== "nothing" && !decided) || (needs && connection.kind === "caught-up"))
    return { text: briefly(sessionSummary(state, undefined, isEdited).text), about: false };
  const text = connection.kind === "elsewhere" ? "" : connectionInWords(connection);
  const long = connection.kind === "reconnecting" && connection.unanswered === true;
  return { text, about: connection.kind !== "caught-up" && !long };
}

/** Why a turn failed, without the consequences: its row names those, and the header has only two lines. */
function briefly(text: string): string {
  return text.replace(/^(Needs you: .*?)(?:, so |\. ).*$/s, "$1");
}

/**
 * Leaves a commit's branch out of `text` if the header already shows it, so that there is room for the number after it.
 */
export function withoutBranch(text: string, branch: string | undefined): string {
  return text.replace(` on ${branch} · `, " · ");
}
