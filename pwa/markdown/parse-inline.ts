// Parses the inline Markdown that the transcript shows: code, bold, emphasis, safe links. Never HTML, never images.
import type { Inline } from "./block.ts";
import { type Delimiter, delimiter, emphasise, plain } from "./emphasis.ts";
import { decodeReference, punctuation, reference } from "./entities.ts";
import { noReferences } from "./link-references.ts";
import { linkTail } from "./link-tail.ts";

interface Bracket {
  /** The bracket's index among the items, and the index in the text at which its words begin. */
  at: number;
  from: number;
  image: boolean;
  /** True if another bracket was opened after it. */
  nests: boolean;
}

/** One alternative for each construct that may begin at a place; the last one takes words up to the next such place. */
const token = new RegExp(
  [
    `\\\\(?<escaped>${punctuation})`,
    "(?<broken>\\\\| {2,})\\n *",
    "(?<soft> ?\\n *)",
    "(?<ticks>`+)",
    "(?<run>\\*+|_+)",
    "(?<open>!?\\[)",
    "(?<close>\\])",
    "<(?<address>[a-zA-Z][a-zA-Z\\d+.-]{1,31}:[^\\s<>]*)>",
    "<(?<mail>[\\w.!#$%&'*+/=?^`{|}~-]+@[a-zA-Z\\d-]+(?:\\.[a-zA-Z\\d-]+)*)>",
    `(?<entity>${reference})`,
    "(?<bare>https?:\\/\\/(?:(?!\\][(\\[])[^\\s<>\"'`*])*[^\\s<>\"'`*_.,;:!?)\\]])",
    "</?[a-zA-Z][\\w-]*(?:[\\s/][^<>]*)?>|[a-zA-Z\\d]+|[^\\\\`*_[\\]!<& \\na-zA-Z\\d]+| +(?! *\\n)|[^]",
  ].join("|"),
  "y",
);
/** Returns whether a link to `href` is safe; any other link stays text. */
function leadsOut(href: string): boolean {
  return /^(https?:\/\/|mailto:)/i.test(href);
}

/** Parses `text` into parts. A link for which `isSafe` is false becomes its words. */
export function parseInline(text: string, references = noReferences, isSafe = leadsOut): Inline[] {
  const items: (Inline | Delimiter)[] = [];
  const brackets: Bracket[] = [];
  /** A link cannot contain a link: the first `around` open brackets already contain one. */
  let around = 0;
  const bareLinks = new Set<unknown>();
  const ticks = lastTicks(text);
  const put = (value: string) => items.push({ kind: "text", text: value });
  const putLink = (href: string, whole: string, words: string) =>
    isSafe(href) ? items.push({ kind: "link", href, parts: [{ kind: "text", text: words }] }) : put(whole);

  /** Handles the closing bracket at `at` and returns the index at which parsing continues. */
  function close(at: number): number {
    const bracket = brackets.pop();
    const enclosed = brackets.length < around;
    around = Math.min(around, brackets.length);
    const tail =
      bracket !== undefined && (bracket.image || !enclosed)
        ? linkTail(text, at + 1, text.slice(bracket.from, at), bracket.nests, references)
        : undefined;
    if (bracket === undefined || tail === undefined) {
      put("]");
      return at + 1;
    }
    const { href, end } = tail;
    const inside = items.splice(bracket.at).slice(1);
    if (bracket.image) put(plain(emphasise(inside)));
    else {
      around = brackets.length;
      const parts = emphasise(
        inside.map((item) => (bareLinks.has(item) ? { kind: "text", text: plain([item as Inline]) } : item)),
      );
      if (isSafe(href))
        items.push({ kind: "link", href, parts: parts.length > 0 ? parts : [{ kind: "text", text: href }] });
      else if (parts.length === 0) put(text.slice(bracket.from - 1, end));
      else for (const part of parts) items.push(part);
    }
    return end;
  }

  for (let at = 0; at < text.length; ) {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) break;
    const [whole] = match;
    const { escaped, broken, soft, run, open, address, mail, entity, bare } = match.groups ?? {};
    const end = at + whole.length;
    if (match.groups?.ticks !== undefined) {
      const closing = (ticks.get(whole.length) ?? -1) > at ? nextTicks(text, end, whole) : -1;
      if (closing < 0) put(whole);
      else items.push({ kind: "code", text: codeText(text.slice(end, closing)) });
      at = closing < 0 ? end : closing + whole.length;
      continue;
    }
    if (match.groups?.close !== undefined) {
      at = close(at);
      continue;
    }
    if (run !== undefined) items.push(delimiter(run, charBefore(text, at), charAt(text, end)));
    else if (open !== undefined) {
      const around = brackets.at(-1);
      if (around !== undefined) around.nests = true;
      brackets.push({ at: items.length, from: end, image: open.length > 1, nests: false });
      put(open);
    } else if (broken !== undefined) items.push({ kind: "break" });
    else if (address !== undefined) putLink(address, whole, address);
    else if (mail !== undefined) putLink(`mailto:${mail}`, whole, mail);
    else if (bare !== undefined) {
      putLink(bare, whole, bare);
      bareLinks.add(items.at(-1));
    } else
      put(escaped ?? (soft === undefined ? (entity === undefined ? whole : decodeReference(entity)) : "\n"));
    at = end;
  }
  return emphasise(items);
}

/** The index at which the last run of backticks of each length begins, so that no search goes past it. */
function lastTicks(text: string): Map<number, number> {
  return new Map(Array.from(text.matchAll(/`+/g), ({ 0: run, index }) => [run.length, index]));
}

function nextTicks(text: string, from: number, run: string): number {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let match = runs.exec(text); match !== null; match = runs.exec(text))
    if (match[0].length === run.length) return match.index;
  return -1;
}

/** One space at each end is removed, as it only separates backticks in the code from those around it. */
function codeText(inside: string): string {
  const line = inside.replaceAll("\n", " ");
  return /^ .*[^ ].* $/.test(line) ? line.slice(1, -1) : line;
}

function charBefore(text: string, at: number): string {
  return [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? "";
}

function charAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}
