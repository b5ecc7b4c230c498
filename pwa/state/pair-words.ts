// What the pairing page asks for. Pure.

interface PairState {
  /** A token is kept and the server does not take it. */
  refused: boolean;
  /** It was refused when it was given, not later on. */
  justTried: boolean;
  /** Sessions are kept on this device: it was paired before. */
  keepsSessions: boolean;
}

export function pairWords({ refused, justTried, keepsSessions }: PairState): string {
  if (!refused) {
    return "Open the link that Handrail printed when it started, or scan its code. Or paste the link or the token here.";
  }
  return justTried || !keepsSessions
    ? "This token is not right. Open the link that Handrail printed last."
    : "The server does not take this device's token any more. What is kept here stays.";
}
