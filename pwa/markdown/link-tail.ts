// Reads the part that turns words in brackets into a link: the address after them, or the label of a definition.
import { addressOf, labelAt, labelKey, type References, title } from "./link-references.ts";

/** The address of the link, and the index at which the text continues. */
interface LinkTail {
  href: string;
  end: number;
}

/** How deep brackets inside an address may nest; the number is the reference implementation's. */
const maxBrackets = 32;
const opening = /\([ \t\n]*(<(?:[^<>\n\\]|\\.)*>)?/y;
const closing = new RegExp(`(?:[ \\t\\n]+(?:${title}))?[ \\t\\n]*\\)`, "y");

/**
 * The tail at `at`, right after the bracket that closes `words`. With `nests`, the words contain brackets, so they
 * cannot be a label.
 */
export function linkTail(
  text: string,
  at: number,
  words: string,
  nests: boolean,
  references: References,
): LinkTail | undefined {
  const inline = text[at] === "(" ? inlineTail(text, at) : undefined;
  if (inline !== undefined || references.size === 0) return inline;
  const label = text[at] === "[" ? labelAt(text, at) : undefined;
  if (label === undefined && (nests || words.length > 999)) return undefined;
  const href = references.get(labelKey(label ?? words) ?? "");
  if (href === undefined) return undefined;
  if (label !== undefined) return { href, end: at + label.length + 2 };
  return { href, end: text.startsWith("[]", at) ? at + 2 : at };
}

function inlineTail(text: string, at: number): LinkTail | undefined {
  opening.lastIndex = at;
  const inBrackets = opening.exec(text)?.[1];
  const from = opening.lastIndex;
  // An address that begins with a bracket and does not close it is not an address.
  if (inBrackets === undefined && text[from] === "<") return undefined;
  const end = inBrackets === undefined ? addressEnd(text, from) : from;
  if (end === undefined) return undefined;
  closing.lastIndex = end;
  if (!closing.test(text)) return undefined;
  return { href: addressOf(inBrackets ?? text.slice(from, end)), end: closing.lastIndex };
}

/** The end of the address that begins at `at`: white space, or a bracket that the address did not open. */
function addressEnd(text: string, at: number): number | undefined {
  let depth = 0;
  let end = at;
  for (; end < text.length; end += 1) {
    const char = text[end] ?? "";
    if (char <= " ") break;
    if (char === "\\" && /[()\\]/.test(text[end + 1] ?? "")) end += 1;
    else if (char === "(") depth += 1;
    else if (char === ")") depth -= 1;
    if (depth < 0) return end;
    if (depth > maxBrackets) return undefined;
  }
  return depth === 0 ? end : undefined;
}
