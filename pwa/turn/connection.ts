// The state of a session's connection: one union, and its words.
import type { HandrailError } from "../../shared/errors.ts";
import { plural, type SessionSummary } from "../../shared/session/session-summary.ts";

export type Connection =
  | { kind: "idle" }
  | { kind: "sending" }
  | { kind: "live" }
  /** `why`: the server answered, in these words, and is asked again. `unanswered`: nothing answered the last request. `since`: as below. */
  | { kind: "reconnecting"; tries: number; why?: string; unanswered?: boolean; since?: number }
  /** Nobody ran the turn, and it is being taken up. `since`: its last sign of life, milliseconds. */
  | { kind: "resuming"; since?: number }
  | { kind: "offline"; since?: number }
  /** Back after an absence in which commands ended. */
  | { kind: "caught-up"; commands: number }
  /** The server did not accept the request; nothing was started. */
  | { kind: "refused"; error: HandrailError }
  /** The server has another history than this phone: nothing runs before the person says which counts. */
  | { kind: "differs"; error: HandrailError }
  | { kind: "unpaired" }
  /** Another tab writes; this one reads along. */
  | { kind: "elsewhere" };

/** True if nothing is heard of a turn: it is shown as it was when the connection was lost. */
export function isAway({ kind }: Connection): boolean {
  return kind === "reconnecting" || kind === "offline" || kind === "unpaired";
}

/** True if nothing is under way that could take time. */
export function isStill(connection: Connection): boolean {
  return isAway(connection) || connection.kind === "resuming" || connection.kind === "differs";
}

/** Said of a turn of which the server has not said yet that it began. */
const goesOutLater = "Will be sent when the connection is back";

/** The text about a turn without any news. */
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

/** Nothing answers: not even that the turn is paused is known. */
export function unansweredInWords({ since }: { since?: number | undefined }): string {
  const heard = since === undefined ? "" : ` Last heard ${clockInWords(since, Date.now())}.`;
  return `Your server does not answer.${heard}`;
}

/** A session's summary, corrected for the state of the connection: nothing is called running that nobody hears of. */
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
 * What the bar says while a turn runs. `unattended`: the server continues it while nobody watches, undefined if that is
 * not known yet; `ownKey`: with a model key of this phone's, which no server keeps; `begun`: the server was heard to
 * begin it; `atDesk`: watched on a computer.
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

/** Why nothing was started. A history that is too long for a request is the person's to shorten, and stays readable. */
export function refusedInWords({ code, message }: HandrailError): string {
  return code === "too_large" && message.startsWith("body:")
    ? "Not sent: this session is larger than a request may be (8 MB). It can be read and exported as before; to go on, duplicate it up to an earlier message."
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

/** "22:59" of today, "Tue 22:59" of the last days, else with the date. `at`, `now`: milliseconds. */
export function clockInWords(at: number, now: number): string {
  const date = new Date(at);
  const clock: Intl.DateTimeFormatOptions = { hour: "numeric", minute: "2-digit" };
  if (date.toDateString() === new Date(now).toDateString()) return date.toLocaleTimeString(undefined, clock);
  const recent = Math.abs(now - at) < 6 * 86_400_000;
  const day: Intl.DateTimeFormatOptions = recent ? { weekday: "short" } : { day: "numeric", month: "short" };
  return date.toLocaleString(undefined, { ...day, ...clock });
}
