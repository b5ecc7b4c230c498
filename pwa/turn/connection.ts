// The state of a session's connection: one union, and its words.
import type { HandrailError } from "../../shared/errors.ts";
import { plural, type SessionSummary } from "../../shared/session/session-summary.ts";

export type Connection =
  | { kind: "idle" }
  | { kind: "sending" }
  | { kind: "live" }
  /**
   * `why`: the words of a server that answered and is asked again. `unanswered`: the last request got no answer.
   * `since`: as below.
   */
  | { kind: "reconnecting"; tries: number; why?: string; unanswered?: boolean; since?: number }
  /** No process ran the turn, and it is being taken up. `since`: its last sign of life, in milliseconds. */
  | { kind: "resuming"; since?: number }
  | { kind: "offline"; since?: number }
  /** The person is back after an absence in which commands ended. */
  | { kind: "caught-up"; commands: number }
  /** The server did not accept the request; nothing was started. */
  | { kind: "refused"; error: HandrailError }
  /** The server's history differs from this phone's. Nothing runs until the person decides which one counts. */
  | { kind: "differs"; error: HandrailError }
  | { kind: "unpaired" }
  /** Another tab writes; this one follows it. */
  | { kind: "elsewhere" };

/** Returns whether no events of a turn arrive, so that the screen shows it as it was when the connection was lost. */
export function isAway({ kind }: Connection): boolean {
  return kind === "reconnecting" || kind === "offline" || kind === "unpaired";
}

/** Returns whether nothing can be running as far as this phone knows, so that no running time is shown. */
export function isStill(connection: Connection): boolean {
  return isAway(connection) || connection.kind === "resuming" || connection.kind === "differs";
}

/** Shown until the server says that the turn has begun. */
const goesOutLater = "Will be sent when the connection is back";

/** The words for a turn while none of its events arrive. */
export function awayInWords(connection: Connection, begun: boolean): string {
  if (connection.kind === "reconnecting" && connection.why !== undefined)
    return "The server cannot continue yet";
  return begun ? "Was running when the connection was lost" : goesOutLater;
}

function lastSeenInWords(connection: Connection): string {
  return "since" in connection && connection.since !== undefined
    ? `Last seen running at ${clockInWords(connection.since, Date.now())}.`
    : "Was running when the connection was lost.";
}

/** The server does not answer, so it is not even known whether the turn is paused. */
export function unansweredInWords({ since }: { since?: number | undefined }): string {
  const heard = since === undefined ? "" : ` Last heard ${clockInWords(since, Date.now())}.`;
  return `Your server does not answer.${heard}`;
}

/** A session's summary, corrected for the state of the connection: it must not say "running" if no events arrive. */
export function summaryOver(
  connection: Connection,
  summary: SessionSummary,
  unheard: boolean,
): SessionSummary {
  if (connection.kind === "differs") return { text: "Needs you: which history counts?", mark: "failed" };
  if (connection.kind === "resuming") return { text: connectionInWords(connection), mark: "hollow" };
  if (!isAway(connection) || (!unheard && summary.mark !== "running")) return summary;
  return { text: awayInWords(connection, !unheard), mark: "hollow" };
}

/**
 * The words of the bar while a turn runs. `unattended` says whether the server continues it while the person does not
 * watch; undefined if unknown. `ownKey`: the turn uses a model key from this phone, which no server stores. `begun`:
 * the server has said that the turn began. `atDesk`: the person watches on a computer.
 */
export function runningInWords(
  connection: Connection,
  {
    unattended,
    ownKey = false,
    begun,
    atDesk,
  }: { unattended: boolean | undefined; ownKey?: boolean; begun: boolean; atDesk: boolean },
): string {
  if (connection.kind === "differs") return "The server has another history of this.";
  if (connection.kind === "resuming") return "It continues from where it was.";
  if (connection.kind === "reconnecting" && connection.why !== undefined)
    return `${begun ? "" : "Not sent yet. "}${connection.why} It is tried again.`;
  if (isAway(connection) && !begun) return "Not sent yet. Nothing is lost.";
  if (isAway(connection))
    return `${lastSeenInWords(connection)} You will see the result when the server is back.`;
  if (connection.kind !== "live" && connection.kind !== "caught-up") return "";
  if (unattended === undefined) return "";
  if (!unattended)
    return `It pauses soon after you leave${ownKey ? ": your own key stays on this device, so it waits for you" : ""}.`;
  return atDesk ? "You can close this page now." : "You can lock your phone now.";
}

/**
 * Says why no turn was started. If the history is too long for a request, the person can shorten it, and it stays
 * readable.
 */
export function refusedInWords({ code, message }: HandrailError): string {
  return code === "too_large" && message.startsWith("body:")
    ? "Not sent: this session is larger than a request may be (8 MB). It can be read and exported as before; to continue, duplicate it up to an earlier message."
    : `Not sent: ${message}`;
}

export function connectionInWords(connection: Connection): string {
  switch (connection.kind) {
    case "idle":
      return "";
    case "sending":
      return "Sending…";
    case "live":
      return "Live";
    case "differs":
      return "Needs you: which history counts?";
    case "resuming":
      return connection.since === undefined
        ? "Paused · resuming"
        : `Paused since ${clockInWords(connection.since, Date.now())} · resuming`;
    case "reconnecting":
      if (connection.why !== undefined) return "The server cannot continue yet";
      if (connection.unanswered) return unansweredInWords(connection);
      return connection.tries > 2 ? "No answer from the server yet…" : "Reconnecting…";
    case "offline":
      return "Offline";
    case "caught-up":
      return connection.commands === 0
        ? "Caught up"
        : `Caught up · ${plural(connection.commands, "command")} finished`;
    case "refused":
      return "Not sent";
    case "unpaired":
      return "Not paired";
    case "elsewhere":
      return "Open in another tab";
  }
}

/** "22:59" today, "Tue 22:59" within the last days, otherwise with the date. `at` and `now` are in milliseconds. */
export function clockInWords(at: number, now: number): string {
  const date = new Date(at);
  const clock: Intl.DateTimeFormatOptions = { hour: "numeric", minute: "2-digit" };
  if (date.toDateString() === new Date(now).toDateString()) return date.toLocaleTimeString(undefined, clock);
  const recent = Math.abs(now - at) < 6 * 86_400_000;
  const day: Intl.DateTimeFormatOptions = recent ? { weekday: "short" } : { day: "numeric", month: "short" };
  return date.toLocaleString(undefined, { ...day, ...clock });
}
