// The line under a session's title: what waits, in the words of the sessions list, else the connection. Pure.
import type { SessionState } from "../../shared/session/session-state.ts";
import { sessionSummary } from "../../shared/session/session-summary.ts";
import { waitingFor } from "../../shared/session/waiting.ts";
import { type Connection, connectionInWords } from "../turn/connection.ts";

export interface HeaderWords {
  text: string;
  /** Whether there is room to say what the session works on, before `text`. */
  about: boolean;
}

/**
 * A problem with the connection comes first, then a call that may have run; catching up is shown before anything else
 * that waits. Another tab has a notice of its own and is not mentioned twice. `asks`: whether one of the calls that need
 * approval is still undecided; undefined = none does. `isEdited`: as in `sessionSummary`.
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
  if (quiet && waiting.kind === "nothing" && asks === true) return { text: "Needs approval", about: true };
  const decided = waiting.kind === "permission" && asks === false;
  if ((quiet && waiting.kind !== "nothing" && !decided) || (needs && connection.kind === "caught-up"))
    return { text: briefly(sessionSummary(state, undefined, isEdited).text), about: false };
  const text = connection.kind === "elsewhere" ? "" : connectionInWords(connection);
  const long = connection.kind === "reconnecting" && connection.unanswered === true;
  return { text, about: connection.kind !== "caught-up" && !long };
}

/** Why a turn failed, without what followed from it: its row tells that, and the header has two lines. */
function briefly(text: string): string {
  return text.replace(/^(Needs you: .*?)(?:, so |\. ).*$/s, "$1");
}

/** `text` without the branch of a commit, where the header names that branch already: the number after it has room then. */
export function withoutBranch(text: string, branch: string | undefined): string {
  return text.replace(` on ${branch} · `, " · ");
}
