// The words with which the pairing page asks for a token. Pure.

interface PairState {
  /** A token is stored, but the server rejects it. */
  refused: boolean;
  /** The token was rejected when it was given, not later. */
  justTried: boolean;
  /** Sessions are stored on this device, so it was paired before. */
  keepsSessions: boolean;
  /** The browser deleted the stored data. */
  forgot: boolean;
}

export function pairWords({ refused, justTried, keepsSessions, forgot }: PairState): string {
  if (!refused && forgot) {
    return "This browser has deleted what Handrail kept on this device: the pairing, and what was said in your sessions. The server still has the sessions, with their files and all that was done. Pair again, and they are in the list. Open the link that Handrail printed when it started, scan its code, or paste it here.";
  }
  if (!refused) {
    return "Open the link that Handrail printed when it started, or scan its code. Or paste the link or the token here.";
  }
  return justTried || !keepsSessions
    ? "This token is wrong. Open the link that Handrail printed last."
    : "The server no longer accepts this device's token. What is stored here stays.";
}

/** Shown above the list after the browser deleted the stored data, while the app was open or before. */
export function lostInWords(when: "before" | "open" | null): string {
  return when === "open"
    ? "This browser deleted what Handrail keeps on this device, while it was open. Open sessions are stored again. What was said in the others is gone; the server still has them, with their files."
    : "This browser had deleted what Handrail kept on this device. The server still has your sessions, with their files; what was said in them is gone.";
}
