// Links with their address defined elsewhere: `[docs]: https://example.com "Title"`.
import { withoutEscapes } from "./entities.ts";

/** Addresses by what `labelKey` makes of their label. */
export type References = ReadonlyMap<string, string>;
/** Shared by all texts without definitions, so that cached results stay valid while a text grows. */
export const noReferences: References = new Map();

/** A title in quotes or brackets. No part of a link shows it: a finger does not hover. */
export const title = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\((?:[^()\\]|\\[\s\S])*\)/.source;
const label = /\[((?:[^\\[\]]|\\[\s\S]){1,999})\]/.source;
const definition = new RegExp(
  `${label}:[ \\t]*\\n?[ \\t]*(<(?:[^<>\\n\\\\]|\\\\.)*>|[^\\s<]\\S*)(?:(?:[ \\t]+|[ \\t]*\\n[ \\t]*)(?:${title}))?[ \\t]*(?:\\n|$)`,
  "y",
);
const labelHere = new RegExp(label, "y");

/** Labels that differ in case or white space are the same; undefined for one without a word. */
export function labelKey(text: string): string | undefined {
  // Both ways, as Unicode folds case: ẞ and SS are the same.
  const key = text.trim().replace(/\s+/g, " ").toLowerCase().toUpperCase();
  return key === "" ? undefined : key;
}

/** The label in brackets at `at`, without them. */
export function labelAt(text: string, at: number): string | undefined {
  labelHere.lastIndex = at;
  return labelHere.exec(text)?.[1];
}

/** Without the brackets around an address, and its escapes as what they mean. */
export function addressOf(written: string): string {
  return withoutEscapes(written.startsWith("<") ? written.slice(1, -1) : written);
}

/** Adds the definitions at the beginning of `text` to `found`; returns the text after them. The first of a label counts. */
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
