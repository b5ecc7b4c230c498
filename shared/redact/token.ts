// Tokens that are recognised by their first characters: a literal prefix, then characters of one class.
import { colourPattern, endOf, escapeCode, openColour, type SecretRule } from "./rule.ts";

export interface Shape {
  /** The kind that the mark names: `[redacted: kind]`. */
  kind: string;
  /** Literal prefixes. */
  prefixes: readonly string[];
  /** The inside of a character class: the characters that may follow the prefix. */
  body: string;
  /** The source of a pattern for the part after the prefix; it matches only characters of `body`. */
  rest: string;
  /** The text, of at most 16 characters, that must come before. Such a token begins in the middle of a word. */
  after?: RegExp;
  /** Decides whether the part after the prefix is a token. Default: it always is. */
  is?: ((rest: string) => boolean) | undefined;
}

/** A copied token may contain characters of no width. */
const invisible = "\\u00ad\\u200b-\\u200f\\u2060\\ufeff";

/** A form that continues with at least `minLength` characters of `body`. */
export const tokenShape = (
  kind: string,
  prefixes: readonly string[],
  minLength: number,
  body: string,
): Shape => ({
  kind,
  prefixes,
  body: body + invisible,
  rest: `[${body}${invisible}]{${minLength},}`,
});

/** `ghp_xxxx…`, `glpat-XXXX-XXXX`: an x, an a or a digit repeated, as documentation writes it. */
const filler = /^[\W_]*([xXaA\d])(?:\1|[\W_])*$/;

/** No token is longer, so later text is never part of one. A stream never holds back more than this. */
const maxTokenChars = 8_192;
/**
 * Forms with an `is` are short, and their prefixes occur in ordinary words. This limit keeps a text full of them fast.
 */
const maxJudgedChars = 512;

/** The colour codes that `grep --color` and similar tools put after a prefix. */
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
