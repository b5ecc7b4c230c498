// Rewrites other people's Markdown so that the screen shows every word of it, because the person must be able to read
// everything that the model reads. Pure.
import type { Block, Inline } from "./block.ts";
import type { References } from "./link-references.ts";
import { linkTarget } from "./link-target.ts";
import { parseBlocks } from "./parse-blocks.ts";
import { parseInline } from "./parse-inline.ts";

/**
 * Returns `text` if drawing it leaves out no word. Otherwise its links and definitions become text; if words are still
 * left out (cells beside a table, words after a fence), all of it becomes code.
 */
export function shownMarkdown(text: string): string {
  if (showsAll(text)) return text;
  const opened = text.replaceAll("](", "] (").replace(/^([ >]*)\[([^\]\n]*)\]:/gm, "$1\\[$2]:");
  if (showsAll(opened)) return opened;
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** Returns whether drawing inline Markdown leaves out no word and no number of `text`. */
export function showsAllWords(text: string): boolean {
  const shown = parseInline(text).map(shownPart).join(" ");
  return holdsAll(shown, text, /[\p{L}\p{M}\p{N}]+/gu);
}

function showsAll(text: string): boolean {
  const { blocks, references } = parseBlocks(text);
  const shown = blocks.map((block) => shownBy(block, references)).join(" ");
  // Numbers are not compared, because those of a list are computed.
  return holdsAll(shown, text, /[\p{L}\p{M}]+/gu);
}

/** Returns whether `shown` contains each word of `text` as often as `text` does. */
function holdsAll(shown: string, text: string, word: RegExp): boolean {
  const left = new Map<string, number>();
  for (const [each] of shown.matchAll(word)) left.set(each, (left.get(each) ?? 0) + 1);
  return [...text.replace(/&#?\w{1,31};/g, " ").matchAll(word)].every(([each]) => {
    const count = left.get(each) ?? 0;
    left.set(each, count - 1);
    return count > 0;
  });
}

function shownBy(block: Block, references: References): string {
  const words = (text: string) => parseInline(text, references).map(shownPart).join(" ");
  switch (block.kind) {
    case "paragraph":
    case "heading":
      return words(block.text);
    case "code":
      // A single short word that names a language; it is not shown.
      return /^[a-z]{1,10}[+#\d]{0,2}$/i.test(block.language)
        ? `${block.language} ${block.text}`
        : block.text;
    case "quote":
      return block.blocks.map((each) => shownBy(each, references)).join(" ");
    case "rule":
      return "";
    case "table":
      return [block.head, ...block.rows].flat().map(words).join(" ");
    case "list":
      return block.items
        .flat()
        .map((each) => shownBy(each, references))
        .join(" ");
  }
}

function shownPart(part: Inline): string {
  switch (part.kind) {
    case "text":
    case "code":
      return part.text;
    case "break":
      return "\n";
    case "bold":
    case "emphasis":
      return part.parts.map(shownPart).join(" ");
    case "link": {
      const label = part.parts.map((each) => (each.kind === "text" ? each.text : "")).join("");
      return `${part.parts.map(shownPart).join(" ")} ${linkTarget(part.href, label) ?? ""}`;
    }
  }
}
