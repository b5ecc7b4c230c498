// A quick look at the pieces of a stream: most hold nothing that any rule has to see. It keeps a few characters' codes
// from piece to piece, so that nothing is put together or looked at twice. Pure.
import { escapeChars, isWordChar } from "./rule.ts";
import { atWord, endSlot, hashed, inside, none } from "./tables.ts";

export interface Glance {
  /**
   * Whether `more` completes no beginning of a trigger, and no token may begin at its end. Where not, the answer says
   * nothing, and `after` has to come before the next look.
   */
  isQuiet(more: string): boolean;
  /** What comes next follows `text`. */
  after(text: string): void;
}

export function glanceOf(table: Uint8Array, ends: Uint8Array): Glance {
  /** The last three characters, the last one first. */
  let [last, second, third] = [0, 0, 0];
  /** How many characters ago there was a sign of an escape. */
  let sinceSign = 0;

  /** Where `before` comes before it. May say so of a place that begins none. */
  const mayBegin = (before: number) => !isWordChar(before) || sinceSign <= escapeChars;
  const mayBeToken = (looks: number, before: number) =>
    (looks & inside) !== 0 || ((looks & atWord) !== 0 && mayBegin(before));

  return {
    isQuiet(more) {
      for (let at = 0; at < more.length; at++) {
        const code = more.charCodeAt(at);
        const looks = table[hashed(hashed(second, last), code)];
        if (looks !== 0 && (looks !== atWord || mayBegin(third))) return false;
        third = second;
        second = last;
        last = code;
        sinceSign = isSign(code) ? 0 : sinceSign + 1;
      }
      return (
        !mayBeToken(ends[endSlot(last, none)] ?? 0, second) &&
        !mayBeToken(ends[endSlot(second, last)] ?? 0, third)
      );
    },
    after(text) {
      [last, second, third] = [codeAt(text, 1), codeAt(text, 2), codeAt(text, 3)];
      sinceSign = 0;
    },
  };
}

/** Begins a written escape (`\`), an encoded character (`%`) or a colour (`[`). */
function isSign(code: number): boolean {
  return code === 92 || code === 37 || code === 91;
}

function codeAt(text: string, fromEnd: number): number {
  return text.length < fromEnd ? 0 : text.charCodeAt(text.length - fromEnd);
}
