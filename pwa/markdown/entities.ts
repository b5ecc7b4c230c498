// Turns Markdown's escapes into the characters they mean: a backslash before punctuation, and character references.

/** HTML knows 2,125 names, which are larger than this whole parser, so only the names that models write are here. */
const named: Record<string, string> = {
  amp: "&",
  apos: "'",
  auml: "ä",
  Auml: "Ä",
  bull: "•",
  check: "✓",
  copy: "©",
  deg: "°",
  eacute: "é",
  euro: "€",
  ge: "≥",
  gt: ">",
  hellip: "…",
  larr: "←",
  laquo: "«",
  ldquo: "“",
  le: "≤",
  lsquo: "‘",
  lt: "<",
  mdash: "—",
  middot: "·",
  nbsp: "\u00a0",
  ndash: "–",
  ne: "≠",
  ouml: "ö",
  Ouml: "Ö",
  para: "¶",
  plusmn: "±",
  quot: '"',
  raquo: "»",
  rarr: "→",
  rdquo: "”",
  reg: "®",
  rsquo: "’",
  sect: "§",
  szlig: "ß",
  times: "×",
  trade: "™",
  uuml: "ü",
  Uuml: "Ü",
};

/** A character reference, as the source of a regular expression. */
export const reference = "&(?:#[xX][\\da-fA-F]{1,6}|#\\d{1,7}|[a-zA-Z][a-zA-Z\\d]{1,31});";
/** The characters that a backslash makes plain, as the source of a regular expression. */
export const punctuation = "[!-/:-@[-`{-~]";

const escapes = new RegExp(`\\\\(${punctuation})|${reference}`, "g");

/** Returns the character that the reference `text` means, or `text` itself if its name is not known. */
export function decodeReference(text: string): string {
  if (text[1] !== "#") {
    const name = text.slice(1, -1);
    return Object.hasOwn(named, name) ? (named[name] ?? text) : text;
  }
  const hex = /^&#x/i.test(text);
  const code = Number.parseInt(text.slice(hex ? 3 : 2), hex ? 16 : 10);
  const isCharacter = code > 0 && code <= 0x10_ff_ff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : "\ufffd";
}

/** Addresses, titles and the words after a fence contain escapes but no other Markdown. */
export function withoutEscapes(text: string): string {
  return text.replace(escapes, (all, char: string | undefined) => char ?? decodeReference(all));
}
