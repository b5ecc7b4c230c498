// Characters that change how text reads without being seen: shown by their code, wherever text comes from elsewhere.

/**
 * Controls but tab and line ends; marks, embeddings, overrides and isolates of writing direction (https://trojansource.codes);
 * spaces without width. The joiner of emoji and of some scripts (U+200D, U+200C) is left alone.
 */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** `text` with `<U+202E>` in the place of each such character. */
export function visible(text: string): string {
  return text.replace(
    unseen,
    (char) => `<U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`,
  );
}
