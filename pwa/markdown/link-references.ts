// Links whose address is defined elsewhere in the text: `[docs]: https://example.com "Title"`.
import { withoutEscapes } from "./entities.ts";

/** Addresses by the key that `labelKey` makes from their label. */
export type References = ReadonlyMap<string, string>;
/** All texts without definitions share this map, so that cached results stay valid while a text grows. */
export const noReferences: References = new Map();

/** A title in quotes or brackets. It is not shown, because a finger cannot hover. */
export const title = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\((?:[^()\\]|\\[\s\S])*\)/.source;
const label = /\[((?:[^\\[\]]|\\[\s\S]){1,999})\]/.source;
const definition = new RegExp(
  `${label}:[ \\t]*\\n?[ \\t]*(<(?:[^<>\\n\\\\]|\\\\.)*>|[^\\s<]\\S*)(?:(?:[ \\t]+|[ \\t]*\\n[ \\t]*)(?:${title}))?[ \\t]*(?:\\n|$)`,
  "y",
);
const labelHere = new RegExp(label, "y");

/** Returns the same key for labels that differ only in case or white space; undefined for a label without a word. */
export function labelKey(text: string): string | undefined {
  // Converting to lower and then to upper case folds case as Unicode does: ẞ and SS are the same.
  const key = text.trim().replace(/\s+/g, " ").toLowerCase().toUpperCase();
  return key === "" ? undefined : key;
}

/** The label in brackets at `at`, without its brackets. */
export function labelAt(text: string, at: number): string | undefined {
  labelHere.lastIndex = at;
  return labelHere.exec(text)?.[1];
}

/** An address without the brackets around it, with its escapes replaced by the characters they mean. */
export function addressOf(written: string): string {
  return withoutEscapes(written.startsWith("<") ? written.slice(1, -1) : written);
}

/**
 * Adds the definitions at the beginning of `text` to `found` and returns the text after them. The first definition of a
 * label counts.
 */
export function takeDefinitions(text: string, found: Map<string, string>): string {
  let at = 0;
  while (text[at] === "[") {
    definition.lastIndex = at;
    const match = definition.exec(text);
    const key = labelKey(match?.[1] ?? "");
    if (match === null || key === undefined) break;
    if (!found.has(key)) found.set(key, addressOf(match[2] ?? ""));
    at = definition.lastIndex;
  }
  return text.slice(at);
}
