// Redacts text that arrives in pieces. Each piece is scanned once, together with the unsettled text before it and a few
// characters more. Earlier text is added only if a rule has to look back.
import { escapeChars, lookBehindChars } from "./rule.ts";
import type { Scanner } from "./scan.ts";
import { shown } from "./shown.ts";

export interface RedactingStream {
  /** Returns the text that can be shown now. The end may be held back until it is clear whether it is a secret. */
  push(text: string): string;
  /** Returns the text that was held back. */
  end(): string;
}

/**
 * Settled text is moved to `far` only in chunks of at least this size: moving it costs more than scanning a little
 * more.
 */
const movedChars = 64;
/** A rule looks back `lookBehindChars`. More is kept, because cutting makes a copy. */
const maxFarChars = 4 * lookBehindChars;

export function streamOf({ scan, glance }: Scanner): RedactingStream {
  /** Earlier text, which only rules that look back need. */
  let far = "";
  /** The end of the settled text, followed by the unsettled text. The places below are offsets into it. */
  let near = "";
  let [scannedTo, shownTo, wordAt] = [0, 0, -1];
  const quick = glance?.();
  let isQuick = false;
  return {
    push(more) {
      if (more === "") return "";
      if (!isQuick || !quick?.isQuiet(more)) return advance(more, false);
      near += more;
      shownTo = near.length;
      // The last two characters may begin a name.
      scannedTo = Math.max(scannedTo, shownTo - 2);
      if (near.length > maxFarChars) keep(scannedTo);
      return more;
    },
    end: () => advance("", true),
  };

  function advance(more: string, ended: boolean): string {
    let text = near === "" ? more : near + more;
    let result = scan(text, scannedTo, ended, wordAt, far !== "");
    if (result.looksBack) {
      text = far + text;
      scannedTo += far.length;
      shownTo += far.length;
      wordAt += far.length;
      far = "";
      result = scan(text, scannedTo, ended, wordAt);
    }
    const { found, resumeAt, settledTo } = result;
    const from = shownTo;
    shownTo = Math.max(from, settledTo);
    const isAll = found.length === 0 && from === text.length - more.length && shownTo === text.length;
    const out = isAll ? more : shown(text, from, shownTo, found);
    near = text;
    scannedTo = resumeAt;
    wordAt = result.wordAt;
    keep(Math.min(scannedTo, shownTo));
    isQuick = shownTo === near.length && scannedTo >= shownTo - 2 && wordAt < scannedTo;
    if (isQuick) quick?.after(near);
    return out;
  }

  /** `settled`: text before this place is needed only by rules that look back. */
  function keep(settled: number): void {
    if (!glance) drop(settled);
    else if (settled - escapeChars > movedChars) {
      far += near.slice(0, settled - escapeChars);
      if (far.length > maxFarChars) far = far.slice(-lookBehindChars);
      drop(settled - escapeChars);
    }
  }

  function drop(chars: number): void {
    near = near.slice(chars);
    scannedTo -= chars;
    shownTo -= chars;
    wordAt -= chars;
  }
}
