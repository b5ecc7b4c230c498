// A token that is told by its first letters: a literal beginning, then characters of one class.
import { colourPattern, endOf, escapeCode, openColour, type SecretRule } from "./rule.ts";

export interface Shape {
  /** Named in the mark: `[redacted: kind]`. */
  kind: string;
  /** Literal beginnings. */
  prefixes: readonly string[];
  /** The inside of a character class: what may follow. */
  body: string;
  /** The source of a whole one, after the prefix; made of characters of `body`. */
  rest: string;
  /** What has to come before it, at most 16 characters: such a token begins in the middle of a word. */
  after?: RegExp;
  /** Says of a whole one, without its prefix, whether it is one. Default: it is. */
  is?: ((rest: string) => boolean) | undefined;
}

/** One that continues with at least `minLength` characters of `body`. */
export const tokenShape = (
  kind: string,
  prefixes: readonly string[],
  minLength: number,
  body: string,
): Shape => ({
  kind,
  prefixes,
  body,
  rest: `[${body}]{${minLength},}`,
});

/** `ghp_xxxx…`, `glpat-XXXX-XXXX`: one letter or digit over and over, as documents write it. */
const filler = /^[\W_]*([xXaA\d])(?:\1|[\W_])*$/;

/** No token is longer: whatever follows is text again. A stream never holds back more. */
const maxTokenChars = 8_192;
/** Shapes that have to be judged are short, and found in ordinary words: this keeps a text full of them cheap. */
const maxJudgedChars = 512;

/** What `grep --color` and its like mark a beginning with. */
const colours = new RegExp(`(?:${colourPattern}){0,4}`, "y");

export function tokenRules({ kind, prefixes, body, rest, after, is }: Shape): [string, SecretRule][] {
  const whole = new RegExp(`^(?:${rest})`);
  const open = new RegExp(`^[${body}]*$`);
  const maxChars = is ? maxJudgedChars : maxTokenChars;
  return prefixes.map((prefix) => [
    prefix,
    (text, at, ended) => {
      if (after?.test(text.slice(Math.max(0, at - 16), at)) === false) return undefined;
      const from = endOf(colours, text, at + prefix.length);
      if (!ended && text[from] === escapeCode && openColour.test(text.slice(from, from + 24)))
        return { holdFrom: at };
      const run = text.slice(from, from + maxChars);
      if (!ended && run.length < maxChars && open.test(run)) return { holdFrom: at };
      const [token] = whole.exec(run) ?? [];
      if (token === undefined || filler.test(token) || is?.(token.slice(0, 64)) === false) return undefined;
      return { from: at, to: from + token.length, kind };
    },
  ]);
}
