// What makes a link of words in brackets: the address after them, or the label of a definition.
import { addressOf, labelAt, labelKey, type References, title } from "./link-references.ts";

/** Where it leads, and where the text continues. */
interface LinkTail {
  href: string;
  end: number;
}

/** How deep brackets inside an address may nest: the reference implementation's number. */
const maxBrackets = 32;
const opening = /\([ \t\n]*(<(?:[^<>\n\\]|\\.)*>)?/y;
const closing = new RegExp(`(?:[ \\t\\n]+(?:${title}))?[ \\t\\n]*\\)`, "y");

/** The tail at `at`, right after the bracket that closes `words`. `nests`: the words hold brackets, so they are no label. */
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
  // What begins like an address in brackets is none without them.
  if (inBrackets === undefined && text[from] === "<") return undefined;
  const end = inBrackets === undefined ? addressEnd(text, from) : from;
  if (end === undefined) return undefined;
  closing.lastIndex = end;
  if (!closing.test(text)) return undefined;
  return { href: addressOf(inBrackets ?? text.slice(from, end)), end: closing.lastIndex };
}

/** The end of an address from `at`: white space, or a bracket that it did not open. */
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
