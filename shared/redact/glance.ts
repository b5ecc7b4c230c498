// A fast check of the pieces of a stream, most of which contain nothing that any rule has to examine. It remembers a
// few character codes between pieces, so that pieces are neither joined nor examined twice. Pure.
import { escapeChars, isWordChar } from "./rule.ts";
import { atWord, endSlot, hashed, inside, none } from "./tables.ts";

export interface Glance {
  /**
   * Whether `more` contains nothing that a rule must examine, and no token may begin at its end. After a negative
   * answer, `after` must be called before the next check.
   */
  isQuiet(more: string): boolean;
  /** Sets the text that the next piece follows. */
  after(text: string): void;
}

export function glanceOf(table: Uint8Array, ends: Uint8Array): Glance {
  /** The last three characters, most recent first. */
  let [last, second, third] = [0, 0, 0];
  /** How many characters ago an escape may have begun. */
  let sinceSign = 0;

  /** Whether a token may begin after the character `before`. A false positive is possible. */
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

/** Whether the character begins an escape in source code (`\`), an encoded character (`%`) or a colour (`[`). */
function isSign(code: number): boolean {
  return code === 92 || code === 37 || code === 91;
}

function codeAt(text: string, fromEnd: number): number {
  return text.charCodeAt(text.length - fromEnd);
}
