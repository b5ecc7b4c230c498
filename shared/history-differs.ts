// The errors for a client whose events of a turn differ from the server's (PROTOCOL 3.1 "Same history").
import { HandrailError } from "./errors.ts";

/**
 * The client continues from a turn that is not the newest one; `newer` is the newest, and may still be running. The
 * message tells the person to look at what happened meanwhile.
 */
export function continuedElsewhere(newer: string): HandrailError {
  return new HandrailError(
    "history_differs",
    "This session went on meanwhile, on another device. Nothing was run: read what came, then send it again.",
    { details: { newer } },
  );
}

/** The server's journal of a running turn is a copy of the journal in which the turn began. */
export function journalCopied(details: { turnId: string; after: number; lastId: number }): HandrailError {
  return new HandrailError(
    "history_differs",
    "The server's record of this turn is a copy that was moved or brought back. What ran after the copy was made would run again. Decide whether the turn continues from there; nothing was run.",
    { details: { ...details, copied: true } },
  );
}

/** `after`: the last event that the client says it has; `lastId`: the last one that the server has. */
export function historyDiffers(details: { turnId: string; after: number; lastId: number }): HandrailError {
  return new HandrailError(
    "history_differs",
    "What this device has of the conversation is not what the server has: one is a restored copy, or lost the end of a file. Decide which history counts; nothing was run.",
    { details },
  );
}
